// The states of a part that is read from the API: loading, refused, empty, there.
import { type ReactNode, useEffect, useState } from "react";
import { CallError } from "../app/call.ts";
import { isPassing } from "../app/query.ts";

type Query<T> = { data: T | undefined; error: CallError | null; isPending: boolean; refetch: () => unknown };

/** Shows the data, or why there is none. Old data stays while new loads. */
export function Loaded<T>({ query, children }: { query: Query<T>; children: (data: T) => ReactNode }) {
  if (query.data !== undefined) {
    return (
      <>
        {query.error && <Problem error={query.error} again={query.refetch} />}
        {children(query.data)}
      </>
    );
  }
  if (query.error) return <Problem error={query.error} again={query.refetch} />;
  return <Loading />;
}

/** Holds the place of what comes. It shows after a moment, so that nothing flickers. */
export function Loading() {
  return <div className="skeleton" role="status" aria-label="Loading" />;
}

/** Shows an error where it happened, with what helps: waiting, trying again, or the id for the operator. */
export function Problem({ error, again }: { error: Error; again?: () => unknown }) {
  const refusal = error instanceof CallError ? error : undefined;
  return (
    <div className="problem" role="alert">
      <p>{error.message}</p>
      {refusal?.requestId && <p className="quiet">Request {refusal.requestId}</p>}
      {again && isPassing(error) && <TryAgain after={refusal?.retryAfter ?? 0} again={again} />}
    </div>
  );
}

function TryAgain({ after, again }: { after: number; again: () => unknown }) {
  const [left, setLeft] = useState(after);
  useEffect(() => {
    if (left <= 0) return;
    const timer = setTimeout(() => setLeft(left - 1), 1_000);
    return () => clearTimeout(timer);
  }, [left]);
  return (
    <button type="button" disabled={left > 0} onClick={() => again()}>
      {left > 0 ? `Try again in ${left} s` : "Try again"}
    </button>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className="empty">{children}</div>;
}
