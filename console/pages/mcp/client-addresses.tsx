// The form of the addresses to which clients with the gateway's own ids may come back after a sign-in.
import type { FormEvent } from "react";
import { call } from "../../app/call.ts";
import { useIsOwner } from "../../app/page.ts";
import { useChange } from "../../app/query.ts";
import { Field, FormProblem, SaveActions } from "../../parts/field.tsx";

/** Shown to the owner alone. */
export function ClientAddresses({ of: redirectUris }: { of: readonly string[] }) {
  const isOwner = useIsOwner();
  const save = useChange((redirect_uris: string[]) => call("PATCH /v1/mcp-gateway", { body: { redirect_uris } }));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const text = String(new FormData(event.currentTarget).get("redirect_uris"));
    save.mutate(text.split(/\s+/).filter(Boolean));
  };
  if (!isOwner) return null;
  return (
    <form onSubmit={submit}>
      <h2>Addresses of further clients</h2>
      <Field
        label="Clients with the gateway's client id and secret may come back to"
        name="redirect_uris"
        defaultValue={redirectUris.join(" ")}
        error={save.error}
        hint="Whole addresses, with blanks between them: of a chat program that you host yourself, for example. Assistants on your machine and those of known vendors need none."
      />
      <FormProblem error={save.error} />
      <SaveActions of={save} saved="Saved." />
    </form>
  );
}
