// Secrets for the environments of skills' scripts: set and removed, and shown to nobody again.
import { type FormEvent, useState } from "react";
import type { Answer } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useVisitor } from "../../app/page.ts";
import { useChange, useRead } from "../../app/query.ts";
import { mayGiveValue, mayRemoveSecret } from "../../app/rights.ts";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Field, FormProblem } from "../../parts/field.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";

type Secret = Answer<"GET /v1/secrets">["data"][number];
type Act = { kind: "put"; name: string } | { kind: "remove"; secret: Secret };

export function Secrets() {
  const { me } = useVisitor();
  const secrets = useRead("GET /v1/secrets");
  const active = useRead("GET /v1/skills", { query: { status: "active" } });
  const [act, setAct] = useState<Act>();
  const close = () => setAct(undefined);
  const columns: Column<Secret>[] = [
    { title: "Name", isHead: true, of: ({ name }) => <code>{name}</code> },
    { title: "What for", of: ({ description }) => description ?? "–" },
    { title: "Used by", of: ({ used_by }) => used_by.join(", ") || "–" },
    { title: "Set", of: ({ updated_at }) => <When at={updated_at} /> },
    {
      title: "",
      of: (secret) =>
        active.data && (
          <>
            {mayGiveValue(secret, me) && (
              <button type="button" onClick={() => setAct({ kind: "put", name: secret.name })}>
                New value
              </button>
            )}
            {mayRemoveSecret(secret, namesOf(active.data.data), me) && (
              <button type="button" onClick={() => setAct({ kind: "remove", secret })}>
                Remove
              </button>
            )}
          </>
        ),
    },
  ];
  return (
    <section>
      <h2>Secrets</h2>
      <p>
        Scripts of active skills get them in their environment. Their values are shown to nobody again. A value that the
        owner gives counts at once, another one once the owner activates the skill again.
      </p>
      <p>
        <button type="button" onClick={() => setAct({ kind: "put", name: "" })}>
          Add a secret
        </button>
      </p>
      <Loaded query={secrets}>
        {(answer) =>
          answer.data.length === 0 ? (
            <Empty>No secret yet.</Empty>
          ) : (
            <Table columns={columns} rows={answer.data} keyOf={({ name }) => name} />
          )
        }
      </Loaded>
      {act?.kind === "put" && <PutSecret name={act.name} onClose={close} />}
      {act?.kind === "remove" && <RemoveSecret of={act.secret} onClose={close} />}
    </section>
  );
}

const namesOf = (named: readonly { name: string }[]) => named.map(({ name }) => name);

function PutSecret({ name: known, onClose }: { name: string; onClose: () => void }) {
  const put = useChange(({ name, ...body }: { name: string; value: string; description?: string }) =>
    call("PUT /v1/secrets/{name}", { parameters: { name }, body }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const description = String(form.get("description"));
    const name = known || String(form.get("name"));
    const secret = { name, value: String(form.get("value")), ...(description && { description }) };
    put.mutate(secret, { onSuccess: onClose });
  };
  return (
    <Dialog title={known ? `New value of ${known}` : "Add a secret"} onClose={onClose}>
      <form onSubmit={submit}>
        {!known && <Field label="Name" name="name" required error={put.error} hint="e.g. JIRA_TOKEN" />}
        <Field label="Value" name="value" type="password" required error={put.error} />
        <Field label="What it is for" name="description" error={put.error} />
        <FormProblem error={put.error} />
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="main" disabled={put.isPending}>
            Save
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function RemoveSecret({ of: { name, used_by }, onClose }: { of: Secret; onClose: () => void }) {
  const remove = useChange(() => call("DELETE /v1/secrets/{name}", { parameters: { name } }));
  return (
    <Confirm
      title={`Remove ${name}`}
      action="Remove"
      isPending={remove.isPending}
      error={remove.error}
      onClose={onClose}
      onConfirm={() => remove.mutate(undefined, { onSuccess: onClose })}
    >
      <p>
        {used_by.length > 0
          ? `Scripts of active skills among ${used_by.join(", ")} will fail, also once a secret of this name is made: until the owner activates them again.`
          : "No skill uses it."}
      </p>
    </Confirm>
  );
}
