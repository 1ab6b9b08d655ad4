// The audit trail: who changed what, newest first, with the values before and after.

import type { FormEvent } from "react";
import type { Answer } from "../../app/api.ts";
import { useFilters } from "../../app/page.ts";
import { Field } from "../../parts/field.tsx";
import { Rows, useList } from "../../parts/more.tsx";
import { useNames } from "../../parts/names.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { SaveAsCsv } from "../../parts/save-csv.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";

type Entry = Answer<"GET /v1/audit">["data"][number];

export default function Audit() {
  const [filters, set] = useFilters({ action: "", actor: "", target: "" });
  const { action, actor, target } = filters;
  const query = { action: action || undefined, actor: actor || undefined, target: target || undefined };
  const list = useList("GET /v1/audit", { query });
  // Addresses of members are with the entries; service accounts and who was only invited have their names elsewhere.
  const name = useNames((list.data ?? []).flatMap((entry) => (isCaller(entry) ? [entry.target] : [])));
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    set({ action: String(form.get("action")), actor: String(form.get("actor")), target: String(form.get("target")) });
  };
  const columns: Column<Entry>[] = [
    { title: "When", of: ({ at }) => <When at={at} /> },
    { title: "Who", of: (entry) => entry.actor_email ?? entry.actor },
    { title: "What", isHead: true, of: (entry) => entry.action },
    {
      title: "On",
      of: (entry) => (
        <button type="button" className="link" onClick={() => set({ target: entry.target })}>
          {entry.target_email ?? name(entry.target)}
        </button>
      ),
    },
    { title: "Change", of: (entry) => <Change of={entry} /> },
  ];
  return (
    <>
      <PageHead title="Audit" />
      <form className="filters" onSubmit={find} key={JSON.stringify(filters)}>
        <Field label="Action" name="action" placeholder="key.create" defaultValue={action} />
        <Field label="Actor's id" name="actor" defaultValue={actor} />
        <Field label="Target's id" name="target" defaultValue={target} />
        <button type="submit">Find</button>
        <SaveAsCsv name="GET /v1/audit" input={{ query }} file="audit.csv" />
      </form>
      <Rows list={list} empty={<Empty>Nothing was changed that fits.</Empty>}>
        {(rows) => <Table columns={columns} rows={rows} keyOf={({ audit_id }) => audit_id} />}
      </Rows>
    </>
  );
}

const isCaller = ({ action, target, target_email }: Entry) =>
  target.startsWith("sa_") || (target_email === undefined && /^(user|grant)\./.test(action));

function Change({ of: { before, after } }: { of: Entry }) {
  if (!before && !after) return null;
  return (
    <details>
      <summary>Values</summary>
      <pre>{JSON.stringify({ before, after }, null, 2)}</pre>
    </details>
  );
}
