// Adding an integration: an MCP server by its address, or an API by its OpenAPI document.
import { type FormEvent, useState } from "react";
import { useLocation } from "wouter";
import type { CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { idempotencyKeys } from "../../app/idempotency-key.ts";
import { useChange } from "../../app/query.ts";
import { Dialog, SubmitActions } from "../../parts/dialog.tsx";
import { Choice, Field, FormProblem } from "../../parts/field.tsx";
import { AuthFields, readAuth } from "./auth-fields.tsx";
import { readSpec, SpecFields } from "./spec-fields.tsx";

type Body = CallInput<"POST /v1/mcp-servers">["body"];

export function AddIntegration({ onClose }: { onClose: () => void }) {
  const [, go] = useLocation();
  const [mode, setMode] = useState<NonNullable<Body["target_mode"]>>("mcp_server");
  const [keyFor] = useState(idempotencyKeys);
  const register = useChange((body: Body) => call("POST /v1/mcp-servers", { body, idempotencyKey: keyFor(body) }));
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const [name, auth] = [String(form.get("name")), readAuth(form)];
    const source = mode === "mcp_server" ? { endpoint: String(form.get("endpoint")) } : readSpec(form);
    register.mutate(
      { name, target_mode: mode, ...source, auth },
      { onSuccess: ({ server_id }) => go(`/mcp/${server_id}`) },
    );
  };
  return (
    <Dialog title="Add an integration" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Name"
          name="name"
          required
          maxLength={24}
          error={register.error}
          hint="Its tools' names begin with it, e.g. pets; small letters, digits and hyphens"
        />
        <Choice
          label="Kind"
          value={mode}
          onChange={({ target }) => setMode(target.value as typeof mode)}
          options={[
            ["mcp_server", "MCP server"],
            ["openapi", "API with an OpenAPI document"],
          ]}
        />
        {mode === "mcp_server" ? (
          <Field label="Address" name="endpoint" type="url" required error={register.error} hint="https://…" />
        ) : (
          <SpecFields error={register.error} />
        )}
        <AuthFields kind="none" error={register.error} />
        <FormProblem error={register.error} />
        <SubmitActions
          onClose={onClose}
          isPending={register.isPending}
          action="Add"
          pending="Adding, which looks at it first …"
        />
      </form>
    </Dialog>
  );
}
