// The report on the operations of an OpenAPI document, registered or only checked.
import type { Answer } from "../../app/api.ts";
import { count } from "../../parts/money.ts";
import { type Column, Table } from "../../parts/table.tsx";

type Check = Answer<"POST /v1/mcp-specs/check">;
type Outcome = Check["operations"][number];

const columns: Column<Outcome>[] = [
  { title: "Operation", isHead: true, of: ({ operation }) => <code>{operation}</code> },
  { title: "Tool", of: ({ tool }) => (tool === undefined ? "not offered" : <code>{tool}</code>) },
  {
    title: "Why",
    of: ({ message, losses = [] }) => message ?? losses.map((one) => `${one.at}: ${one.message}`).join("; "),
  },
];

export function SpecReport({ of }: { of: Check }) {
  const { base_url, taken, taken_with_loss, not_offered, not_chosen, operations, difference } = of;
  const told = Object.entries(difference ?? {}).filter(([, names]) => names.length > 0);
  return (
    <div role="status">
      <p>
        {count(taken)} {taken === 1 ? "operation" : "operations"} as in the document, {count(taken_with_loss)} with a
        difference, {count(not_offered)} not offered{not_chosen > 0 && `, ${count(not_chosen)} not chosen`}. They call{" "}
        <code>{base_url}</code>.
      </p>
      {difference && (
        <p>
          {told.length === 0
            ? "The tools stay as they are."
            : told.map(([what, names]) => `${what}: ${names.join(", ")}`).join("; ")}
        </p>
      )}
      {operations.length > 0 && <Table columns={columns} rows={operations} keyOf={({ operation }) => operation} />}
    </div>
  );
}
