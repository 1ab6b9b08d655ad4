// What was used, by time and by what is asked for. One query feeds chart, table, sum and file.

import { Link } from "wouter";
import { useFilters, useIsOwner } from "../../app/page.ts";
import { platformNow } from "../../app/platform.ts";
import { dayMs } from "../../charts/period.ts";
import { series } from "../../charts/series.ts";
import { Stack } from "../../charts/stack.tsx";
import {
  costKinds,
  type Dimension,
  dimensions,
  type Metric,
  measured,
  metrics,
  pointsOf,
} from "../../charts/usage-points.ts";
import { Choice, DayField } from "../../parts/field.tsx";
import { axisUsd, count, roundCount, share, usd } from "../../parts/money.ts";
import { useWhole } from "../../parts/more.tsx";
import { useKeyNames, useNames } from "../../parts/names.ts";
import { Only } from "../../parts/only.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { SaveAsCsv } from "../../parts/save-csv.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import {
  dayEndsLocally,
  daysBetween,
  hoursBetween,
  isoDay,
  isoHour,
  monthOf,
  utcDay,
  utcHour,
  When,
} from "../../parts/time.tsx";
import { askedRange } from "./asked-range.ts";
import { type Usage, UsageTable } from "./table.tsx";

/** Rows of a page; a range of days by models fits. */
const most = 1_000;

const titles: Record<Dimension, string> = {
  model: "Model",
  caller: "Caller",
  key: "Key (one day)",
  session: "Session (one day)",
  kind: "Kind of token",
};
/** The API reads these from single calls, and for one day at a time. */
const ofOneDay: readonly Dimension[] = ["key", "session"];

type Unit = "hour" | "day" | "month";

export default function UsagePage() {
  const isOwner = useIsOwner();
  const now = platformNow();
  const month = monthOf(now);
  const tomorrow = isoDay(now + dayMs);
  const [filters, set] = useFilters({
    from: month.from,
    to: tomorrow,
    by: "model",
    metric: "cost",
    per: "",
    caller: "",
  });
  const offered = dimensions.filter((one) => isOwner || one !== "caller");
  const by = offered.find((one) => one === filters.by) ?? "model";
  const metric = filters.metric in metrics ? (filters.metric as Metric) : "cost";
  const isOfOneDay = ofOneDay.includes(by);
  const { from, to } = askedRange(filters, isOfOneDay, now, { from: month.from, to: tomorrow });
  const days = daysBetween(from, to);
  const unit: Unit =
    days.length > 92
      ? "month"
      : (filters.per || (isOfOneDay ? "hour" : "day")) === "hour" && days.length <= 7
        ? "hour"
        : "day";
  const group_by = by === "kind" ? unit : `${unit},${by}`;
  const query = { from, to, caller_id: filters.caller || undefined, group_by };
  const usage = useWhole("GET /v1/usage", { query: { ...query, limit: most } });
  const caller = useNames([filters.caller || undefined, ...(usage.data?.data ?? []).map(({ caller_id }) => caller_id)]);
  const key = useKeyNames((usage.data?.data ?? []).map(({ key_id }) => key_id));

  const names: Record<Dimension, (entity: string) => string> = {
    model: (entity) => entity,
    caller,
    key: (entity) => (entity ? key(entity) : "with a token, or not known"),
    session: (entity) => entity || "no session named",
    kind: (entity) => entity,
  };

  return (
    <>
      <PageHead title="Usage" />
      <div className="filters">
        {isOfOneDay ? (
          <DayField
            label="Day"
            name="day"
            value={from}
            onDay={(day) => set({ from: day, to: isoDay(Date.parse(day) + dayMs) })}
          />
        ) : (
          <>
            <DayField label="From" name="from" value={filters.from} onDay={(day) => set({ from: day })} />
            <DayField
              label="To"
              name="to"
              value={lastDayOf(filters.to)}
              onDay={(day) => set({ to: isoDay(Date.parse(day) + dayMs) })}
            />
          </>
        )}
        <Choice
          label="By"
          value={by}
          onChange={({ target }) => set({ by: target.value })}
          options={offered.map((one) => [one, titles[one]] as const)}
        />
        <Choice
          label="Show"
          value={metric}
          onChange={({ target }) => set({ metric: target.value })}
          options={Object.entries(metrics)}
        />
        {days.length <= 7 && (
          <Choice
            label="Per"
            value={unit}
            onChange={({ target }) => set({ per: target.value })}
            options={[
              ["day", "Day"],
              ["hour", "Hour"],
            ]}
          />
        )}
        <SaveAsCsv name="GET /v1/usage" input={{ query }} file={`usage-${from}-${to}.csv`} />
      </div>
      {filters.caller && (
        <Only of="usage of" name={caller(filters.caller)} all="Usage of everybody" onAll={() => set({ caller: "" })} />
      )}
      <Loaded query={usage}>
        {({ data, totals, as_of, next_cursor }) => {
          if (data.length === 0)
            return (
              <Empty>
                Nothing was used in these days. <Link href="/start">Make a call</Link>
              </Empty>
            );
          const columns = columnsOf(unit, from, to);
          const points = data.flatMap((row) => pointsOf(row, row[unit] ?? "", by, metric));
          const shown = by === "kind" && metric === "requests" ? "tokens" : metric;
          return (
            <>
              {totals && <Totals totals={totals} metric={shown} />}
              <p>
                From {utcDay(from)} to {utcDay(Date.parse(to) - 1)}, at list price, settled until <When at={as_of} />.
                Days are UTC: they end at {dayEndsLocally()} here. <Link href="/calls">Single calls</Link>
                {next_cursor && " There are more rows than this page shows: the sum and the file have them all."}
              </p>
              <Stack
                columns={columns}
                series={series(points, columns)}
                known={by === "kind" ? Object.keys(costKinds) : [...new Set(points.map(({ entity }) => entity))]}
                name={names[by]}
                columnName={columnName[unit]}
                format={shown === "cost" ? usd : count}
                axis={shown === "cost" ? axisUsd : roundCount}
                hasTable={false}
                summary={`${metrics[shown]} by ${unit} and ${by === "kind" ? "kind of token" : by}`}
                today={present[unit](now)}
                estimates={metric === "cost" ? estimatesOf(data, unit, columns) : undefined}
              />
              <UsageTable
                rows={data}
                total={totals}
                metric={metric}
                of={by === "kind" ? unitTitles[unit] : `${unitTitles[unit]} and ${by}`}
                name={(row) => rowName(row, unit, by, names)}
              />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** The last day of a range that ends before `to`, for its field; an address may name no day at all. */
const lastDayOf = (to: string) => (Number.isNaN(Date.parse(to)) ? "" : isoDay(Date.parse(to) - 1));

const unitTitles: Record<Unit, string> = { hour: "Hour", day: "Day", month: "Month" };
const columnName: Record<Unit, (column: string) => string> = {
  hour: utcHour,
  day: utcDay,
  month: (column) => column,
};
const present: Record<Unit, (now: number) => string> = {
  hour: isoHour,
  day: isoDay,
  month: (now) => isoDay(now).slice(0, 7),
};

function columnsOf(unit: Unit, from: string, to: string): string[] {
  if (unit === "hour") return hoursBetween(from, to);
  const days = daysBetween(from, to);
  return unit === "day" ? days : [...new Set(days.map((day) => day.slice(0, 7)))];
}

function estimatesOf(rows: readonly Usage[], unit: Unit, columns: readonly string[]): number[] {
  const ofColumn = (column: string) => rows.filter((row) => row[unit] === column);
  return columns.map((column) => ofColumn(column).reduce((sum, row) => sum + row.estimated_cost_usd, 0));
}

function rowName(row: Usage, unit: Unit, by: Dimension, names: Record<Dimension, (entity: string) => string>): string {
  const at = columnName[unit](row[unit] ?? "");
  const [point] = pointsOf(row, at, by, "requests");
  return by === "kind" || !point ? at : `${at} · ${names[by](point.entity)}`;
}

function Totals({ totals, metric }: { totals: Usage; metric: Metric }) {
  const { cost_usd, no_kind_cost_usd, estimated_cost_usd, estimated_requests, cached_share, saved_usd } = totals;
  return (
    <div className="cards">
      <section className="card">
        <h2>{metrics[metric]}</h2>
        <p className="figure">{metric === "cost" ? usd(cost_usd) : count(measured(totals, metric))}</p>
        <p className="quiet">
          {estimated_requests > 0
            ? `${usd(estimated_cost_usd)} of the cost are upper bounds of ${count(estimated_requests)} calls whose usage the model host never told`
            : `${usd(cost_usd)} for ${count(totals.requests)} ${totals.requests === 1 ? "request" : "requests"}, nothing of it estimated`}
        </p>
      </section>
      <section className="card">
        <h2>Cached share</h2>
        <p className="figure">{cached_share === undefined ? "–" : share(cached_share)}</p>
        <p className="quiet">Of all tokens of prompts, what was read from the cache</p>
      </section>
      <section className="card">
        <h2>Saved by caching</h2>
        <p className="figure">{saved_usd === undefined ? "Not known" : usd(saved_usd)}</p>
        <p className="quiet">
          {saved_usd !== undefined && saved_usd < 0 && "Less than nothing: writing cost more than reading saved. "}
          Reads at the price of input, less what reads and the premium of writes cost
          {no_kind_cost_usd > 0 && `. Of ${usd(no_kind_cost_usd)} of the cost it is not known`}
        </p>
      </section>
    </div>
  );
}
