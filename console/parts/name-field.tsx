// A workspace's name, with the address that it gives: the API is asked once the person pauses, since its rules are not the browser's.
import { useEffect, useState } from "react";
import type { CallError } from "../app/call.ts";
import { useRead } from "../app/query.ts";
import { Field } from "./field.tsx";

const pauseMs = 300;

type Props = {
  error: CallError | null;
  /** The workspace as it is; none for a new one. */
  of?: { name: string; slug: string } | undefined;
  /** Said while there is no name to ask about. */
  hint: string;
};

export function NameField({ error, of, hint }: Props) {
  const [typed, setTyped] = useState(of?.name ?? "");
  const name = useSettled(typed.trim());
  const isAsked = name !== "" && name !== of?.name;
  const preview = useRead("GET /v1/tenants/address", { query: { name } }, { enabled: isAsked });
  const told = () => {
    if (!isAsked) return hint;
    if (preview.error) return preview.error.problemOf("name") ?? hint;
    if (!preview.data) return "…";
    const { slug, is_free } = preview.data;
    if (slug === of?.slug) return `The address stays ${slug}.`;
    return is_free ? `Its address will be ${slug}.` : `The address ${slug} is taken: choose another name.`;
  };
  return (
    <Field
      label="Name"
      name="name"
      required
      value={typed}
      onChange={({ target }) => setTyped(target.value)}
      error={error}
      hint={told()}
    />
  );
}

/** The value, once it has not changed for a moment. */
function useSettled(value: string): string {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), pauseMs);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
