// How the gateway proves itself to an API or server: the fields of a form, and what they say.
import { useState } from "react";
import type { CallInput } from "../../app/api.ts";
import type { CallError } from "../../app/call.ts";
import { Choice, Field } from "../../parts/field.tsx";

export type Auth = NonNullable<CallInput<"PUT /v1/mcp-servers/{server_id}">["body"]["auth"]>;
type Kind = Auth["kind"];

export function AuthFields({ kind: first, error }: { kind: Kind; error: CallError | null }) {
  const [kind, setKind] = useState<Kind>(first);
  const [location, setLocation] = useState("header");
  return (
    <fieldset>
      <legend>Credential</legend>
      <Choice
        label="Kind"
        name="auth.kind"
        value={kind}
        onChange={({ target }) => setKind(target.value as Kind)}
        options={[
          ["none", "None"],
          ["bearer", "Bearer token"],
          ["api_key", "API key"],
        ]}
      />
      {kind === "api_key" && (
        <>
          <Choice
            label="Sent in"
            name="auth.location"
            value={location}
            onChange={({ target }) => setLocation(target.value)}
            options={[
              ["header", "a header"],
              ["query", "the query"],
            ]}
          />
          <Field label="Name of the header or parameter" name="auth.name" required error={error} />
          {location === "header" && (
            <Field label="Before the key, e.g. Token" name="auth.prefix" error={error} hint="Usually nothing" />
          )}
        </>
      )}
      {kind !== "none" && (
        <Field
          label={kind === "bearer" ? "Token" : "Key"}
          name="auth.secret"
          type="password"
          autoComplete="off"
          required
          error={error}
          hint="Kept under the workspace's own key, and shown nowhere again."
        />
      )}
    </fieldset>
  );
}

/** Reads the fields out of a form. The API judges the values. */
export function readAuth(form: FormData): Auth {
  const text = (name: string) => String(form.get(`auth.${name}`) ?? "");
  const kind = text("kind") as Kind;
  if (kind === "none") return { kind };
  if (kind === "bearer") return { kind, secret: text("secret") };
  const prefix = text("prefix");
  return {
    kind,
    secret: text("secret"),
    location: text("location") === "query" ? "query" : "header",
    name: text("name"),
    ...(prefix && { prefix }),
  };
}
