// One person: their grant, and what the owner can do about them.
import { type FormEvent, useState } from "react";
import { Link, useLocation, useParams } from "wouter";
import { call } from "../../app/call.ts";
import { useChange, useRead } from "../../app/query.ts";
import { BudgetBar } from "../../charts/budget-bar.tsx";
import { Confirm } from "../../parts/dialog.tsx";
import { FormProblem } from "../../parts/field.tsx";
import { GrantFields } from "../../parts/grant-fields.tsx";
import { type Grant, type GrantBody, readGrant } from "../../parts/grant-form.ts";
import { GrantProblem, isConflict } from "../../parts/grant-problem.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Loaded } from "../../parts/state.tsx";
import { When } from "../../parts/time.tsx";

export default function Person() {
  const { sub = "" } = useParams<{ sub: string }>();
  const [, go] = useLocation();
  const [isRemoving, setRemoving] = useState(false);
  const person = useRead("GET /v1/users/{user_id}", { parameters: { user_id: sub } });
  const resend = useChange(() => call("POST /v1/users/{user_id}/resend", { parameters: { user_id: sub } }));
  const remove = useChange(() => call("DELETE /v1/users/{user_id}", { parameters: { user_id: sub } }));
  return (
    <Loaded query={person}>
      {({ email, tenant_role, status, invited_at, activated_at, removed_at, last_used_at, has_grant, ...spending }) => (
        <>
          <PageHead title={email ?? sub} parent={{ path: "/people", title: "People" }} />
          <p className="facts">
            {tenant_role}, {status ?? "not joined yet"}
            <Told what="invited" at={invited_at} />
            <Told what="joined" at={activated_at} />
            <Told what="removed" at={removed_at} />
            {last_used_at ? <Told what="last used an active key" at={last_used_at} /> : ", has used no active key"}.{" "}
            <Link href={`/usage?by=model&caller=${encodeURIComponent(sub)}`}>Usage</Link>,{" "}
            <Link href={`/keys?caller=${encodeURIComponent(sub)}`}>keys</Link>,{" "}
            <Link href={`/audit?target=${encodeURIComponent(sub)}`}>changes</Link>
          </p>
          {status !== "removed" && tenant_role !== "owner" && (
            <>
              {has_grant ? (
                <ExistingGrant sub={sub} spending={spending} />
              ) : (
                <>
                  <p>Without a grant nobody but the owner may call models.</p>
                  <GrantEditor sub={sub} />
                </>
              )}
              <h2>Access</h2>
              <div className="actions">
                {status === undefined && (
                  <button type="button" disabled={resend.isPending} onClick={() => resend.mutate(undefined)}>
                    {resend.isSuccess ? "Sent again" : "Send the invitation again"}
                  </button>
                )}
                <button type="button" className="danger" onClick={() => setRemoving(true)}>
                  Remove
                </button>
              </div>
              <FormProblem error={resend.error} />
            </>
          )}
          {isRemoving && (
            <Confirm
              title={`Remove ${email ?? "person"}`}
              action="Remove"
              isPending={remove.isPending}
              error={remove.error}
              onClose={() => setRemoving(false)}
              onConfirm={() => remove.mutate(undefined, { onSuccess: () => go("/people") })}
            >
              <p>
                Their grant and their keys end, in assistants and scripts as well, within 60 seconds. What they used
                stays in usage and billing.
              </p>
            </Confirm>
          )}
        </>
      )}
    </Loaded>
  );
}

/** A fact with its time. It shows nothing where there is no time, e.g. of an invitation to somebody who came without one. */
function Told({ what, at }: { what: string; at: string | undefined }) {
  return (
    at && (
      <>
        , {what} <When at={at} />
      </>
    )
  );
}

type Spending = { spent_usd: number; reserved_usd: number; resets_at: string };

function ExistingGrant({ sub, spending }: { sub: string; spending: Spending }) {
  const grant = useRead("GET /v1/grants/{dev_sub}", { parameters: { dev_sub: sub } });
  const [isSaved, setSaved] = useState(false);
  return (
    <Loaded query={grant}>
      {(known) => (
        <>
          <BudgetBar
            label="Budget"
            spent={spending.spent_usd}
            reserved={spending.reserved_usd}
            limit={known.monthly_budget_usd}
            resetsAt={spending.resets_at}
          />
          <GrantEditor sub={sub} known={known} onSaved={() => setSaved(true)} />
          {isSaved && <p role="status">Saved. It holds within 60 seconds.</p>}
        </>
      )}
    </Loaded>
  );
}

function GrantEditor({ sub, known, onSaved }: { sub: string; onSaved?: () => void; known?: Grant }) {
  // The grant with which the form began: two owners' tabs do not overwrite each other unseen.
  const [began, setBegan] = useState(known);
  const save = useChange(
    ({ body, seen }: { body: GrantBody; seen: Grant | undefined }) =>
      call("PUT /v1/grants/{dev_sub}", {
        parameters: { dev_sub: sub },
        body,
        ...(seen && { ifMatch: `"${seen.updated_at}"` }),
      }),
    (saved) => {
      setBegan(saved);
      onSaved?.();
    },
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const body = readGrant(new FormData(event.currentTarget), began);
    save.mutate({ body, seen: isConflict(save.error) ? known : began });
  };
  return (
    <form onSubmit={submit}>
      <h2>Grant</h2>
      <GrantFields of={began} error={save.error} />
      <GrantProblem error={save.error} now={known} />
      <div className="actions">
        <button type="submit" className="main" disabled={save.isPending}>
          {known ? "Save" : "Grant"}
        </button>
      </div>
    </form>
  );
}
