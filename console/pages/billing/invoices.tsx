// The owner's invoices, of all workspaces and paid ones too, and a file of them.
import { Fragment } from "react";
import type { Answer } from "../../app/api.ts";
import { titled } from "../../parts/field.tsx";
import { usd } from "../../parts/money.ts";
import { Rows, useList } from "../../parts/more.tsx";
import { SaveAsCsv } from "../../parts/save-csv.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { utcDay, utcMonth, When } from "../../parts/time.tsx";

type Invoice = Answer<"GET /v1/billing/invoices">["data"][number];

export function Invoices() {
  const list = useList("GET /v1/billing/invoices", {});
  return (
    <>
      <h2>Invoices</h2>
      <Rows list={list} empty={<Empty>There is no invoice yet: the first one comes after the month's end.</Empty>}>
        {(rows) => (
          <>
            <div className="filters">
              <SaveAsCsv name="GET /v1/billing/invoices" input={{}} file="invoices.csv" />
            </div>
            <Table columns={columns} rows={rows} keyOf={({ invoice_id }) => invoice_id} />
          </>
        )}
      </Rows>
    </>
  );
}

const columns: Column<Invoice>[] = [
  { title: "Invoice", isHead: true, of: ({ number }) => number ?? "Not numbered yet" },
  { title: "Workspace", of: ({ workspace }) => workspace ?? "–" },
  { title: "Usage of", of: ({ month }) => utcMonth(month) },
  { title: "Made", of: ({ finalized_at, created_at }) => utcDay(finalized_at ?? created_at) },
  { title: "Status", of: ({ status }) => titled(status) },
  { title: "Total", isNumber: true, of: ({ total }) => usd(total) },
  { title: "Due", isNumber: true, of: ({ due }) => usd(due) },
  { title: "Next attempt", of: ({ next_attempt_at: at }) => (at ? <When at={at} /> : "–") },
  { title: "See", of: (invoice) => <Pages {...invoice} /> },
];

/** The provider's pages of an invoice; a draft has none. */
function Pages({ url, pdf_url, receipt_url }: Invoice) {
  const pages = [
    ["Page", url],
    ["PDF", pdf_url],
    ["Receipt", receipt_url],
  ] as const;
  const there = pages.flatMap(([name, address]) => (address ? [{ name, address }] : []));
  if (there.length === 0) return "–";
  return there.map(({ name, address }, place) => (
    <Fragment key={name}>
      {place > 0 && " · "}
      <a href={address}>{name}</a>
    </Fragment>
  ));
}
