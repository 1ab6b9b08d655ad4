// What was used, by day and by what is asked for. One query feeds chart, table, sum and file.
import { download } from "../../app/call.ts";
import { useFilters, useIsOwner } from "../../app/page.ts";
import { useRead } from "../../app/query.ts";
import { series } from "../../charts/series.ts";
import { Stack } from "../../charts/stack.tsx";
import { Choice, Field } from "../../parts/field.tsx";
import { count, usd } from "../../parts/money.ts";
import { useNames } from "../../parts/names.ts";
import { Empty, Loaded } from "../../parts/state.tsx";
import { dayEndsLocally, daysBetween, isoDay, monthOf, utcDay, When } from "../../parts/time.tsx";
import { type Usage, UsageTable } from "./table.tsx";

const metrics = { cost: "Cost", requests: "Requests", tokens: "Tokens" } as const;
type Metric = keyof typeof metrics;
type By = "model" | "caller" | "kind";

const dayMs = 86_400_000;
/** Rows of a page; a range of days by models fits. */
const most = 1_000;

export default function UsagePage() {
  const isOwner = useIsOwner();
  const now = Date.now();
  const month = monthOf(now);
  const [filters, set] = useFilters({
    from: month.from,
    to: isoDay(now + dayMs),
    by: "model",
    metric: "cost",
    caller: "",
  });
  const by = (isOwner || filters.by !== "caller" ? filters.by : "model") as By;
  const metric = filters.metric in metrics ? (filters.metric as Metric) : "cost";
  const days = daysBetween(filters.from, filters.to);
  const unit = days.length > 92 ? "month" : "day";
  const group = by === "kind" ? unit : `${unit},${by}`;
  const query = { from: filters.from, to: filters.to, caller_id: filters.caller || undefined };
  const usage = useRead("GET /v1/usage", { query: { ...query, group_by: group, limit: most } });
  const name = useNames();

  const save = async () => {
    const blob = await download("GET /v1/usage", { query: { ...query, group_by: group, format: "csv" } });
    const link = Object.assign(document.createElement("a"), {
      href: URL.createObjectURL(blob),
      download: `usage-${filters.from}-${filters.to}.csv`,
    });
    link.click();
    URL.revokeObjectURL(link.href);
  };

  return (
    <>
      <h1>Usage</h1>
      <div className="filters">
        <Field
          label="From"
          name="from"
          type="date"
          required
          value={filters.from}
          onChange={({ target }) => target.value && set({ from: target.value })}
        />
        <Field
          label="Until, not included"
          name="to"
          type="date"
          required
          value={filters.to}
          onChange={({ target }) => target.value && set({ to: target.value })}
        />
        <Choice
          label="By"
          value={by}
          onChange={({ target }) => set({ by: target.value })}
          options={[["model", "Model"], ...(isOwner ? [["caller", "Caller"] as const] : []), ["kind", "Kind of token"]]}
        />
        <Choice
          label="Show"
          value={metric}
          onChange={({ target }) => set({ metric: target.value })}
          options={Object.entries(metrics)}
        />
        <button type="button" onClick={save}>
          Save as CSV
        </button>
      </div>
      <Loaded query={usage}>
        {(answer) => {
          const { data, as_of, next_cursor } = answer;
          if (data.length === 0) return <Empty>Nothing was used in these days.</Empty>;
          const rows = data.flatMap((row) => points(row, { by, metric, unit }));
          const columns = unit === "day" ? days : [...new Set(days.map((day) => day.slice(0, 7)))];
          const entities = [...new Set(rows.map(({ entity }) => entity))];
          const total = rows.reduce((sum, { value }) => sum + value, 0);
          const format = metric === "cost" && by !== "kind" ? usd : count;
          return (
            <>
              <p>
                <strong>{format(total)}</strong> {metric === "cost" && by !== "kind" ? "at list price" : metric} from{" "}
                {utcDay(filters.from)} to {utcDay(Date.parse(filters.to) - 1)}, settled until <When at={as_of} />. Days
                are UTC: they end at {dayEndsLocally()} here.
                {next_cursor && " There are more rows than this page shows: the file has them all."}
              </p>
              <Stack
                columns={columns}
                series={series(rows, columns)}
                known={entities}
                name={by === "caller" ? name : (entity) => entity}
                columnName={(column) => (unit === "day" ? utcDay(column) : column)}
                format={format}
                summary={`${metrics[metric]} by ${unit} and ${by === "kind" ? "kind of token" : by}`}
                today={isoDay(now).slice(0, unit === "day" ? 10 : 7)}
              />
              <UsageTable
                rows={data}
                of={by === "caller" ? "Day and caller" : by === "model" ? "Day and model" : "Day"}
                name={(row) =>
                  [row.day ?? row.month, row.caller_id && name(row.caller_id), row.model].filter(Boolean).join(" · ")
                }
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

const kinds = {
  input: (row: Usage) => row.input_tokens,
  output: (row: Usage) => row.output_tokens,
  "cache read": (row: Usage) => row.cache_read_tokens,
  "cache written": (row: Usage) => row.cache_write_5m_tokens + row.cache_write_1h_tokens,
};
const tokens = (row: Usage) => Object.values(kinds).reduce((sum, of) => sum + of(row), 0);

function points(row: Usage, { by, metric, unit }: { by: By; metric: Metric; unit: "day" | "month" }) {
  const at = row[unit] ?? "";
  if (by === "kind") return Object.entries(kinds).map(([entity, of]) => ({ at, entity, value: of(row) }));
  const entity = (by === "model" ? row.model : row.caller_id) ?? "";
  return [{ at, entity, value: metric === "cost" ? row.cost_usd : metric === "requests" ? row.requests : tokens(row) }];
}
