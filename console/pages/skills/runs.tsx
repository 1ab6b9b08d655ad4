// Who ran a skill's script, and what came of it: one's own runs, and for the owner everybody's.

import { useState } from "react";
import { useParams } from "wouter";
import type { Answer } from "../../app/api.ts";
import { useFilters, useIsOwner } from "../../app/page.ts";
import { StatusFilter } from "../../parts/field.tsx";
import { count } from "../../parts/money.ts";
import { Rows, useList } from "../../parts/more.tsx";
import { useNames } from "../../parts/names.ts";
import { Only } from "../../parts/only.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { SaveAsCsv } from "../../parts/save-csv.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";
import { RunDialog } from "./run.tsx";

type Run = Answer<"GET /v1/skills/{name}/runs">["data"][number];
type Status = Run["status"];

const statuses: readonly Status[] = ["queued", "running", "succeeded", "failed", "timed_out", "lost"];

/** How it ended, in words. */
function outcome({ status, exit_code }: Pick<Run, "status" | "exit_code">): string {
  const words = status.replace("_", " ");
  return status === "failed" && exit_code !== undefined ? `${words}, code ${exit_code}` : words;
}

export default function Runs() {
  const { name = "" } = useParams<{ name: string }>();
  const isOwner = useIsOwner();
  const [filters, set] = useFilters({ status: "all", caller: "" });
  const [shown, setShown] = useState<string>();
  const query = { status: statuses.find((one) => one === filters.status), caller_id: filters.caller || undefined };
  const input = { parameters: { name }, query };
  const list = useList("GET /v1/skills/{name}/runs", input);
  const nameOf = useNames([filters.caller || undefined, ...(list.data ?? []).map(({ caller_id }) => caller_id)]);
  const columns: Column<Run>[] = [
    { title: "Asked for", of: ({ queued_at }) => <When at={queued_at} /> },
    {
      title: "By",
      of: ({ caller_id }) =>
        isOwner && caller_id !== filters.caller ? (
          <button type="button" className="link" onClick={() => set({ caller: caller_id })}>
            {nameOf(caller_id)}
          </button>
        ) : (
          nameOf(caller_id)
        ),
    },
    { title: "Version", isNumber: true, of: ({ version }) => version },
    { title: "Outcome", isHead: true, of: outcome },
    { title: "Seconds", isNumber: true, of: ({ seconds }) => (seconds === undefined ? "–" : count(seconds)) },
    { title: "Files", isNumber: true, of: ({ files }) => files.length },
    { title: "Why", of: ({ reason }) => reason ?? "–" },
    {
      title: "",
      of: ({ run_id }) => (
        <button type="button" onClick={() => setShown(run_id)}>
          What it printed
        </button>
      ),
    },
  ];
  return (
    <>
      <PageHead title={`Runs of ${name}`} parent={{ path: `/skills/${name}`, title: name }} />
      <p>
        {isOwner ? "Everybody's runs" : "Your runs"} of the last 30 days. What a run printed and left is kept for a day.
      </p>
      <div className="filters">
        <StatusFilter value={filters.status} of={["all", ...statuses]} onStatus={(status) => set({ status })} />
        <SaveAsCsv name="GET /v1/skills/{name}/runs" input={input} file={`runs-${name}.csv`} />
      </div>
      {filters.caller && (
        <Only of="runs of" name={nameOf(filters.caller)} all="Runs of everybody" onAll={() => set({ caller: "" })} />
      )}
      <Rows
        list={list}
        empty={<Empty>No run fits. An assistant runs a script when its task asks for the skill.</Empty>}
      >
        {(rows) => <Table columns={columns} rows={rows} keyOf={({ run_id }) => run_id} />}
      </Rows>
      {shown !== undefined && <RunDialog skill={name} id={shown} onClose={() => setShown(undefined)} />}
    </>
  );
}
