// API keys: one's own, and for the owner everybody's; creating, rotating with an overlap, revoking.

import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import { type Answer, type CallInput, call } from "../../app/call.ts";
import { useFilters, useIsOwner, useVisitor } from "../../app/page.ts";
import { platformNow } from "../../app/platform.ts";
import { useChange } from "../../app/query.ts";
import { dayMs } from "../../charts/period.ts";
import { Confirm, Dialog } from "../../parts/dialog.tsx";
import { Choice, Field, FormProblem, StatusFilter } from "../../parts/field.tsx";
import { GrantFields, readGrant } from "../../parts/grant-fields.tsx";
import { Rows, useList } from "../../parts/more.tsx";
import { useNames } from "../../parts/names.ts";
import { PageHead } from "../../parts/page-head.tsx";
import { SecretDialog } from "../../parts/secret.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";

type Key = Answer<"GET /v1/keys">["data"][number];
type Act = { kind: "create" } | { kind: "rotate" | "revoke"; key: Key } | { kind: "shown"; secret: string };

const idleMs = 90 * dayMs;

/** True for a key whose leak nobody would notice: it never ends, or nobody has used it for three months. */
function needsCare({ status, expires_at, last_used_at, created_at }: Key, now: number): boolean {
  if (status !== "active") return false;
  return expires_at === undefined || now - Date.parse(last_used_at ?? created_at) > idleMs;
}

export default function Keys() {
  const [filters, set] = useFilters({ status: "active", care: "", caller: "" });
  const [act, setAct] = useState<Act>();
  const list = useList("GET /v1/keys", {
    query: { status: filters.status === "all" ? undefined : filters.status, caller_id: filters.caller || undefined },
  });
  const close = () => setAct(undefined);
  const now = platformNow();
  return (
    <>
      <PageHead
        title="Keys"
        action={
          <button type="button" className="main" onClick={() => setAct({ kind: "create" })}>
            Create key
          </button>
        }
      >
        A key lets a program call models without a person signed in, and spends its caller's budget.
      </PageHead>
      <div className="filters">
        <StatusFilter
          value={filters.status}
          of={["active", "expired", "revoked", "all"]}
          onStatus={(status) => set({ status })}
        />
        <label className="check">
          <input
            type="checkbox"
            checked={filters.care !== ""}
            onChange={({ target }) => set({ care: target.checked ? "yes" : "" })}
          />
          Only those that need care: without an end, or unused for 90 days
        </label>
      </div>
      <Rows
        list={list}
        empty={<Empty>No key here. A key lets a program call models without a person signed in.</Empty>}
      >
        {(rows) => <KeyTable rows={filters.care ? rows.filter((key) => needsCare(key, now)) : rows} onAct={setAct} />}
      </Rows>
      {act?.kind === "create" && <CreateKey onClose={close} onShown={(secret) => setAct({ kind: "shown", secret })} />}
      {act?.kind === "rotate" && (
        <RotateKey of={act.key} onClose={close} onShown={(secret) => setAct({ kind: "shown", secret })} />
      )}
      {act?.kind === "revoke" && <RevokeKey of={act.key} onClose={close} />}
      {act?.kind === "shown" && <SecretDialog title="Your new key" what="key" secret={act.secret} onStored={close} />}
    </>
  );
}

function KeyTable({ rows, onAct }: { rows: Key[]; onAct: (act: Act) => void }) {
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
    { title: "Ends", of: ({ expires_at }) => (expires_at ? <When at={expires_at} /> : "no end") },
    { title: "Status", of: ({ status }) => status },
    {
      title: "",
      of: (key) =>
        key.status === "active" && (
          <>
            {/* A person's key is rotated by that person alone: the owner would see its secret. */}
            {(key.role === "service_account" || isMine(key)) && (
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

function CreateKey({ onClose, onShown }: { onClose: () => void; onShown: (secret: string) => void }) {
  const isOwner = useIsOwner();
  const [kind, setKind] = useState<"personal" | "service_account">("personal");
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const create = useChange((body: CallInput<"POST /v1/keys">["body"]) =>
    call("POST /v1/keys", { body, idempotencyKey }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const days = Number(form.get("days"));
    const body = {
      name: String(form.get("name")),
      kind,
      ...(days > 0 ? { expires_at: new Date(platformNow() + days * dayMs).toISOString() } : {}),
      ...(kind === "service_account" ? { grant: readGrant(form) } : {}),
    };
    create.mutate(body, { onSuccess: ({ key }) => onShown(key) });
  };
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <form onSubmit={submit}>
        <Field label="Name" name="name" required maxLength={100} error={create.error} hint="Where it will be used" />
        {isOwner && (
          <Choice
            label="For"
            value={kind}
            onChange={({ target }) => setKind(target.value as typeof kind)}
            options={[
              ["personal", "me: it spends my budget"],
              ["service_account", "a service account, with a budget of its own"],
            ]}
          />
        )}
        <Choice
          label="Ends"
          name="days"
          defaultValue="90"
          options={[
            ["30", "in 30 days"],
            ["90", "in 90 days"],
            ["365", "in a year"],
            ["0", "never"],
          ]}
        />
        {kind === "service_account" && <GrantFields error={create.error} />}
        <FormProblem error={create.error} />
        <div className="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
          <button type="submit" className="main" disabled={create.isPending}>
            Create
          </button>
        </div>
      </form>
    </Dialog>
  );
}

function RotateKey({
  of: { key_id, name },
  onClose,
  onShown,
}: {
  of: Key;
  onClose: () => void;
  onShown: (secret: string) => void;
}) {
  const [hours, setHours] = useState("24");
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const rotate = useChange((overlap_seconds: number) =>
    call("POST /v1/keys/{key_id}/rotate", { parameters: { key_id }, body: { overlap_seconds }, idempotencyKey }),
  );
  return (
    <Confirm
      title={`Rotate ${name || "key"}`}
      action="Rotate"
      isPending={rotate.isPending}
      error={rotate.error}
      onClose={onClose}
      onConfirm={() => rotate.mutate(Number(hours) * 3_600, { onSuccess: ({ key }) => onShown(key) })}
    >
      <p>You get a new key of the same caller. The old one goes on for a while, so that nothing stops in between.</p>
      <Choice
        label="The old key ends"
        value={hours}
        onChange={({ target }) => setHours(target.value)}
        options={[
          ["0", "at once"],
          ["1", "in an hour"],
          ["24", "in a day"],
          ["168", "in a week"],
        ]}
      />
    </Confirm>
  );
}

function RevokeKey({ of: { key_id, name }, onClose }: { of: Key; onClose: () => void }) {
  const revoke = useChange(() => call("DELETE /v1/keys/{key_id}", { parameters: { key_id } }));
  return (
    <Confirm
      title={`Revoke ${name || "key"}`}
      action="Revoke"
      isPending={revoke.isPending}
      error={revoke.error}
      onClose={onClose}
      onConfirm={() => revoke.mutate(undefined, { onSuccess: onClose })}
    >
      <p>Programs that use it are refused within 60 seconds. A revoked key never works again.</p>
    </Confirm>
  );
}
