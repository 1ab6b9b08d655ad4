// The environment of a skill's script: values and secrets, set and removed by name, and shown to nobody again.
import { type FormEvent, useState } from "react";
import type { Answer, CallInput } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useChange, useRead } from "../../app/query.ts";
import { Choice, Field, FormProblem } from "../../parts/field.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";

type Variable = Answer<"GET /v1/skills/{name}/env">["env"][number];
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
  const columns: Column<Variable>[] = [
    { title: "Name", isHead: true, of: (variable) => <code>{variable.name}</code> },
    { title: "Value", of: ({ secret }) => (secret ? `the secret ${secret}` : "set") },
    {
      title: "",
      of: (variable) => (
        <button type="button" disabled={change.isPending} onClick={() => change.mutate({ [variable.name]: null })}>
          Remove {variable.name}
        </button>
      ),
    },
  ];
  return (
    <section>
      <h2>Environment</h2>
      <Loaded query={environment}>
        {({ env }) =>
          env.length === 0 ? (
            <Empty>The script runs without variables of its own.</Empty>
          ) : (
            <Table columns={columns} rows={env} keyOf={(variable) => variable.name} />
          )
        }
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
          <Field label="Text" name="value" type="password" required error={change.error} />
        )}
        <button type="submit" disabled={change.isPending}>
          Set
        </button>
      </form>
      <FormProblem error={change.error} />
    </section>
  );
}
