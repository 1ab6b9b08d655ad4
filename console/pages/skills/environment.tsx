// The environment of a skill's script: variables that its maker and the owner propose, and that the script has once the owner has activated them.
import { type FormEvent, useState } from "react";
import type { CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useChange, useRead } from "../../app/query.ts";
import { Choice, Field, FormProblem } from "../../parts/field.tsx";
import { Loaded } from "../../parts/state.tsx";
import { Variables, waitsForOwner } from "./variables.tsx";

type Change = CallInput<"PATCH /v1/skills/{name}/env">["body"]["env"];

export function Environment({ name }: { name: string }) {
  const parameters = { name };
  const environment = useRead("GET /v1/skills/{name}/env", { parameters });
  const secrets = useRead("GET /v1/secrets");
  const [kind, setKind] = useState("value");
  const change = useChange((env: Change) => call("PATCH /v1/skills/{name}/env", { parameters, body: { env } }));
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const text = (field: string) => String(new FormData(form).get(field) ?? "");
    const value = kind === "secret" ? { secret: text("secret") } : text("value");
    change.mutate({ [text("variable")]: value }, { onSuccess: () => form.reset() });
  };
  return (
    <section>
      <h2>Environment</h2>
      <Loaded query={environment}>
        {(review) => (
          <>
            {waitsForOwner(review) && (
              <p className="wrong">
                The active version's script has another environment: this one counts once the owner activates it.
              </p>
            )}
            <Variables
              of={review}
              act={(variable) => (
                <button
                  type="button"
                  disabled={change.isPending}
                  onClick={() => change.mutate({ [variable.name]: null })}
                >
                  Remove {variable.name}
                </button>
              )}
            />
          </>
        )}
      </Loaded>
      <form className="filters" onSubmit={submit}>
        <Field label="Variable" name="variable" required error={change.error} />
        <Choice
          label="Its value is"
          value={kind}
          onChange={({ target }) => setKind(target.value)}
          options={[
            ["value", "a text"],
            ["secret", "a secret"],
          ]}
        />
        {kind === "secret" ? (
          <Choice
            label="Secret"
            name="secret"
            options={(secrets.data?.data ?? []).map((secret) => [secret.name, secret.name])}
          />
        ) : (
          <Field
            label="Text"
            name="value"
            required
            error={change.error}
            hint="The owner sees it: what nobody may see is a secret"
          />
        )}
        <button type="submit" disabled={change.isPending}>
          Set
        </button>
      </form>
      <FormProblem error={change.error} />
    </section>
  );
}
