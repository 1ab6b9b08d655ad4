// The audit trail: who changed what, newest first, with the values before and after.

import type { ReactNode } from "react";
import { useFilters, useWorkspace } from "../../app/page.ts";
import { platform } from "../../app/platform.ts";
import { Choice } from "../../parts/field.tsx";
import { Rows, useList } from "../../parts/more.tsx";
import { useKeyNames, useNames } from "../../parts/names.ts";
import { Narrow, Only } from "../../parts/only.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { SaveAsCsv } from "../../parts/save-csv.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";
import { actionWords, actorName, changesOf, type Entry, isOfCaller, isOfKey, targetName, wordsOf } from "./words.ts";

export default function Audit() {
  const { name: workspace } = useWorkspace();
  const [filters, set] = useFilters({ action: "", actor: "", target: "" });
  const { action, actor, target } = filters;
  const query = { action: action || undefined, actor: actor || undefined, target: target || undefined };
  const list = useList("GET /v1/audit", { query });
  const entries = list.data ?? [];
  const targetsOf = (isOf: (entry: Entry) => boolean) => entries.filter(isOf).map((entry) => entry.target);
  const names = { caller: useNames(targetsOf(isOfCaller)), key: useKeyNames(targetsOf(isOfKey)), workspace };
  const by = (entry: Entry) => actorName(entry, platform().brand);
  const on = (entry: Entry) => targetName(entry, names);
  const [newest] = entries;
  const columns: Column<Entry>[] = [
    { title: "When", of: ({ at }) => <When at={at} /> },
    {
      title: "Who",
      of: (entry) => <Narrow onClick={() => set({ actor: entry.actor })}>{by(entry)}</Narrow>,
    },
    { title: "What", isHead: true, of: (entry) => <span title={entry.action}>{wordsOf(entry.action)}</span> },
    {
      title: "On",
      of: (entry) => <Narrow onClick={() => set({ target: entry.target })}>{on(entry)}</Narrow>,
    },
    { title: "Change", of: (entry) => change(entry) },
  ];
  return (
    <>
      <PageHead title="Audit">Who changed what. Choose a name to see its changes alone.</PageHead>
      <div className="filters">
        <Choice
          label="What"
          isWide
          value={action}
          onChange={({ target }) => set({ action: target.value })}
          options={[["", "Everything"], ...knownActions(action)]}
        />
        <SaveAsCsv name="GET /v1/audit" input={{ query }} file="audit.csv" />
      </div>
      {actor && (
        <Only
          of="changes by"
          name={newest ? by(newest) : actor}
          all="Everybody's changes"
          onAll={() => set({ actor: "" })}
        />
      )}
      {target && (
        <Only
          of="changes of"
          name={newest ? on(newest) : target}
          all="Changes of everything"
          onAll={() => set({ target: "" })}
        />
      )}
      <Rows list={list} empty={<Empty>Nothing was changed that fits.</Empty>}>
        {(rows) => <Table columns={columns} rows={rows} keyOf={({ audit_id }) => audit_id} />}
      </Rows>
    </>
  );
}

/** The address may name an action that has no words. */
const knownActions = (asked: string) =>
  Object.entries(asked ? { ...actionWords, [asked]: wordsOf(asked) } : actionWords);

/** Undefined where nothing is said of it, so that a card leaves it out. */
function change(entry: Entry): ReactNode {
  const changes = changesOf(entry);
  if (changes.length === 0) return undefined;
  return (
    <details>
      <summary>Values</summary>
      <dl className="changes">
        {changes.map(({ field, was, is }) => (
          <div key={field}>
            <dt>{field.replaceAll("_", " ")}</dt>
            <dd>
              {was && <del>{was}</del>} {is && <ins>{is}</ins>}
            </dd>
          </div>
        ))}
      </dl>
    </details>
  );
}
