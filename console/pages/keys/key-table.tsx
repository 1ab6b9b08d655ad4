// The table of keys: whose each is, its use and its end, and what can be done about it.
import { Link } from "wouter";
import type { Answer } from "../../app/api.ts";
import { useVisitor } from "../../app/page.ts";
import { mayRotate } from "../../app/rights.ts";
import { useNames } from "../../parts/names.ts";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";

export type Key = Answer<"GET /v1/keys">["data"][number];

/** What is done about a key, in a dialog. */
export type Act = { kind: "create" } | { kind: "rotate" | "revoke"; key: Key } | { kind: "shown"; secret: string };

type Props = {
  rows: Key[];
  onAct: (act: Act) => void;
  /** Whether their status differs. */
  areMixed: boolean;
};

export function KeyTable({ rows, onAct, areMixed }: Props) {
  const name = useNames(rows.map(({ caller_id }) => caller_id));
  const { me } = useVisitor();
  const isMine = ({ caller_id }: Key) => caller_id === me.user_id;
  const columns: Column<Key>[] = [
    { title: "Name", isHead: true, of: ({ name }) => name || "–" },
    {
      title: "Key",
      of: ({ mode, key_id, last4 }) => (
        <code>
          ar_{mode}_{key_id}_…{last4}
        </code>
      ),
    },
    { title: "Caller", of: (key) => (isMine(key) ? "you" : name(key.caller_id)) },
    {
      title: "Last used",
      of: ({ key_id, last_used_at }) => (
        <>
          <When at={last_used_at} /> <Link href={`/calls?key=${key_id}`}>calls</Link>
        </>
      ),
    },
    { title: "Ends", of: ({ expires_at }) => (expires_at ? <When at={expires_at} isDay /> : "never") },
    ...(areMixed ? [{ title: "Status", of: ({ status }: Key) => status }] : []),
    {
      title: "",
      of: (key) =>
        key.status === "active" && (
          <>
            {mayRotate(key, me) && (
              <button type="button" onClick={() => onAct({ kind: "rotate", key })}>
                Rotate
              </button>
            )}
            <button type="button" onClick={() => onAct({ kind: "revoke", key })}>
              Revoke
            </button>
          </>
        ),
    },
  ];
  return <Table columns={columns} rows={rows} keyOf={({ key_id }) => key_id} />;
}
