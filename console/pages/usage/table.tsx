// Usage as a table: the rows of the chart, and the sum of the whole range as the API gives it.
import type { Answer } from "../../app/api.ts";
import { costKinds, type Metric, tokenKinds, unknownKind } from "../../charts/usage-points.ts";
import { count, share, usd } from "../../parts/money.ts";
import { type Column, Table } from "../../parts/table.tsx";

export type Usage = Answer<"GET /v1/usage">["data"][number];

type Props = {
  rows: readonly Usage[];
  total: Usage | undefined;
  name: (row: Usage) => string;
  /** The heading of the rows' first column: a model, a caller, a day. */
  of: string;
  metric: Metric;
};

export function UsageTable({ rows, total, name, of, metric }: Props) {
  const kinds = metric === "cost" ? costKinds : tokenKinds;
  const all = total ? [...rows, total] : rows;
  const shown = Object.entries<(row: Usage) => number>(kinds).filter(
    ([title, value]) => title !== unknownKind || all.some((row) => value(row) !== 0),
  );
  const format = metric === "cost" ? usd : count;
  const columns: Column<Usage>[] = [
    { title: of, isHead: true, of: name },
    { title: "Cost", isNumber: true, of: (row) => <Cost row={row} /> },
    { title: "Requests", isNumber: true, of: ({ requests }) => count(requests) },
    ...shown.map(([title, value]) => ({
      title,
      isNumber: true,
      of: (row: Usage) => format(value(row)),
    })),
    {
      title: "Cached",
      isNumber: true,
      of: ({ cached_share }) => (cached_share === undefined ? "–" : share(cached_share)),
    },
    {
      title: "Saved",
      isNumber: true,
      of: ({ saved_usd }) => (saved_usd === undefined ? "not known" : usd(saved_usd)),
    },
  ];
  return (
    <Table
      isFigures
      columns={columns}
      rows={rows}
      total={total}
      keyOf={(row) =>
        JSON.stringify([row.month, row.day, row.hour, row.caller_id, row.model, row.key_id, row.session_id])
      }
    />
  );
}

function Cost({ row }: { row: Usage }) {
  if (row.estimated_requests === 0) return usd(row.cost_usd);
  const calls = `${count(row.estimated_requests)} ${row.estimated_requests === 1 ? "call" : "calls"}`;
  return (
    <>
      {usd(row.cost_usd)}{" "}
      <abbr
        title={`${usd(row.estimated_cost_usd)} of it is an upper bound: the model host never told the usage of ${calls}`}
      >
        ≈
      </abbr>
    </>
  );
}
