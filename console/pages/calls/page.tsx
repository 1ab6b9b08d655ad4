// Single calls of a day, newest first: who called what, and what it cost. What was asked and answered is kept nowhere.

import type { FormEvent } from "react";
import type { Answer } from "../../app/api.ts";
import { useFilters, useIsOwner } from "../../app/page.ts";
import { platformNow } from "../../app/platform.ts";
import { dayMs } from "../../charts/period.ts";
import { DayField, Field } from "../../parts/field.tsx";
import { count, usd } from "../../parts/money.ts";
import { Rows, useList } from "../../parts/more.tsx";
import { useKeyNames, useNames } from "../../parts/names.ts";
import { Narrow, Only } from "../../parts/only.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { SaveAsCsv } from "../../parts/save-csv.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { isoDay, When } from "../../parts/time.tsx";

type Call = Answer<"GET /v1/calls">["data"][number];

export default function Calls() {
  const isOwner = useIsOwner();
  const [filters, set] = useFilters({ day: isoDay(platformNow()), caller: "", key: "", session: "", request: "" });
  const query = {
    from: filters.day,
    to: isoDay(Date.parse(filters.day) + dayMs),
    caller_id: filters.caller || undefined,
    key_id: filters.key || undefined,
    session_id: filters.session || undefined,
    request_id: filters.request || undefined,
  };
  const list = useList("GET /v1/calls", { query });
  const calls = list.data ?? [];
  const caller = useNames([filters.caller, ...calls.map(({ caller_id }) => caller_id)]);
  const key = useKeyNames([filters.key, ...calls.map(({ key_id }) => key_id)]);
  const find = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const text = (field: string) => String(form.get(field) ?? "").trim();
    set({ session: text("session"), request: text("request") });
  };
  const columns: Column<Call>[] = [
    { title: "When", isHead: true, of: ({ admitted_at }) => <When at={admitted_at} /> },
    ...(isOwner
      ? [
          {
            title: "Caller",
            of: ({ caller_id }: Call) => (
              <Narrow onClick={() => set({ caller: caller_id })}>{caller(caller_id)}</Narrow>
            ),
          },
        ]
      : []),
    {
      title: "Key",
      of: ({ key_id }) => (key_id ? <Narrow onClick={() => set({ key: key_id })}>{key(key_id)}</Narrow> : "–"),
    },
    { title: "Model", of: ({ model }) => <code>{model}</code> },
    { title: "Cost", isNumber: true, of: (call) => <Cost of={call} /> },
    { title: "Input", isNumber: true, of: ({ input_tokens }) => count(input_tokens) },
    { title: "Output", isNumber: true, of: ({ output_tokens }) => count(output_tokens) },
    { title: "Cache read", isNumber: true, of: ({ cache_read_tokens }) => count(cache_read_tokens) },
    {
      title: "Cache written",
      isNumber: true,
      of: (call) => count(call.cache_write_5m_tokens + call.cache_write_1h_tokens),
    },
    { title: "Session", of: ({ session_id }) => (session_id ? <code>{session_id}</code> : "–") },
    { title: "Request", of: ({ request_id }) => <code>{request_id}</code> },
  ];
  return (
    <>
      <PageHead title="Calls">
        The calls of a day in UTC, once they have ended, for 45 days. Choose a name to see its calls alone.
      </PageHead>
      <form className="filters" onSubmit={find}>
        <DayField label="Day" name="day" value={filters.day} onDay={(day) => set({ day })} />
        <Field label="Session" name="session" defaultValue={filters.session} />
        <Field label="Request id" name="request" defaultValue={filters.request} />
        <button type="submit">Find</button>
        <SaveAsCsv name="GET /v1/calls" input={{ query }} file={`calls-${filters.day}.csv`} />
      </form>
      {filters.caller && (
        <Only of="calls of" name={caller(filters.caller)} all="Calls of everybody" onAll={() => set({ caller: "" })} />
      )}
      {filters.key && (
        <Only of="calls with" name={key(filters.key)} all="Calls with any key" onAll={() => set({ key: "" })} />
      )}
      <Rows list={list} empty={<Empty>No call of this day fits. Choose another day, or empty the fields.</Empty>}>
        {(rows) => <Table isFigures columns={columns} rows={rows} keyOf={({ request_id }) => request_id} />}
      </Rows>
    </>
  );
}

function Cost({ of: { cost_usd, source, is_provisional, on_credit } }: { of: Call }) {
  const remark = is_provisional
    ? "An upper bound: nobody heard the call's end, and the true usage may still come"
    : source === "estimated"
      ? "The model host never told all of the usage"
      : undefined;
  return (
    <>
      {usd(cost_usd)}
      {remark && <abbr title={remark}> ≈</abbr>}
      {on_credit && <span className="quiet"> free credit</span>}
    </>
  );
}
