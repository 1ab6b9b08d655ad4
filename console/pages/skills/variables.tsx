// The variables of a skill's environment as an activation would approve them, each with who set it and when, beside what the active version has.
import type { ReactNode } from "react";
import type { Answer } from "../../app/api.ts";
import { useNames } from "../../parts/names.ts";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";

export type Review = Answer<"GET /v1/skills/{name}/env">;
type Variable = Review["env"][number];
type Row = { now?: Variable | undefined; active?: Variable | undefined };

/** Each variable as it is now and as the active version has it. */
function rowsOf({ env, active_env = [] }: Review): Row[] {
  const named = (variables: readonly Variable[], name: string) => variables.find((one) => one.name === name);
  const names = [...new Set([...env, ...active_env].map(({ name }) => name))].sort();
  return names.map((name) => ({ now: named(env, name), active: named(active_env, name) }));
}

const isSame = ({ now, active }: Row) => JSON.stringify(now) === JSON.stringify(active);

/** Whether the active version's script has another environment than this one. */
export function waitsForOwner(review: Review): boolean {
  return review.active_env !== undefined && !rowsOf(review).every(isSame);
}

export function Variables({ of, act }: { of: Review; act?: (variable: Variable) => ReactNode }) {
  const rows = rowsOf(of);
  const shown = rows.flatMap(({ now, active }) => [now, active]).filter((one) => one !== undefined);
  const name = useNames(shown.flatMap(({ set_by, secret_set_by }) => [set_by, secret_set_by]));
  if (rows.length === 0) return <Empty>The script runs without variables of its own.</Empty>;
  const shownValue = (variable: Variable | undefined) => (variable ? <Value of={variable} name={name} /> : "–");
  const columns: Column<Row>[] = [
    { title: "Name", isHead: true, of: ({ now, active }) => <code>{(now ?? active)?.name}</code> },
    { title: "Value", of: ({ now }) => (now ? shownValue(now) : "removed") },
    {
      title: "Set",
      of: ({ now }) =>
        now ? (
          <>
            <When at={now.set_at} /> by {name(now.set_by)}
          </>
        ) : (
          "–"
        ),
    },
    ...(of.active_env
      ? [
          {
            title: "The active version has",
            of: (row: Row) => (isSame(row) ? "the same" : <strong>{shownValue(row.active)}</strong>),
          },
        ]
      : []),
    ...(act ? [{ title: "", of: ({ now }: Row) => now && act(now) }] : []),
  ];
  return <Table columns={columns} rows={rows} keyOf={({ now, active }) => (now ?? active)?.name ?? ""} />;
}

function Value({ of, name }: { of: Variable; name: (id: string) => string }) {
  const { value, secret, secret_set_by, secret_set_at } = of;
  if (secret === undefined) return value === undefined ? "shown to the owner and to who set it" : <code>{value}</code>;
  return (
    <>
      the secret <code>{secret}</code>
      {secret_set_by && secret_set_at ? (
        <>
          , whose value {name(secret_set_by)} gave <When at={secret_set_at} />
        </>
      ) : (
        ", which is not there"
      )}
    </>
  );
}
