// Service accounts: what each has spent of its budget, and its limits, which all of its keys share.
import { type FormEvent, useState } from "react";
import { Link } from "wouter";
import type { Answer } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useChange, useRead } from "../../app/query.ts";
import { BudgetBar } from "../../charts/budget-bar.tsx";
import { Dialog, SubmitActions } from "../../parts/dialog.tsx";
import { GrantFields } from "../../parts/grant-fields.tsx";
import { type GrantBody, readGrant } from "../../parts/grant-form.ts";
import { GrantProblem, isConflict } from "../../parts/grant-problem.tsx";
import { Rows, useList } from "../../parts/more.tsx";
import { Empty, Loaded } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";
import type { Key } from "./key-table.tsx";

type Account = Answer<"GET /v1/callers">["data"][number];

export function ServiceAccounts() {
  const list = useList("GET /v1/callers", { query: { kind: "service_account" } });
  const [changed, setChanged] = useState<Account>();
  const columns: Column<Account>[] = [
    {
      title: "Name",
      isHead: true,
      of: ({ caller_id, name = caller_id }) => <Link href={`/keys?caller=${caller_id}&status=all`}>{name}</Link>,
    },
    { title: "Status", of: ({ status }) => (status === "removed" ? "no key left" : status) },
    {
      title: "This month (UTC)",
      of: ({ caller_id, name = caller_id, spent_usd, reserved_usd, limit_usd, resets_at }) => (
        <BudgetBar
          label={name}
          spent={spent_usd}
          isInList
          reserved={reserved_usd}
          limit={limit_usd}
          resetsAt={resets_at}
        />
      ),
    },
    {
      title: "Last use of an active key",
      of: ({ caller_id, status, last_used_at }) => (
        <>
          {status === "removed" ? "–" : <When at={last_used_at} />}{" "}
          <Link href={`/usage?by=model&caller=${caller_id}`}>usage</Link>
        </>
      ),
    },
    {
      title: "",
      of: (account) =>
        account.status === "active" && (
          <button type="button" onClick={() => setChanged(account)}>
            Change limits
          </button>
        ),
    },
  ];
  return (
    <section>
      <h2>Service accounts</h2>
      <Rows
        list={list}
        empty={
          <Empty>None yet. A key for a service account has a budget of its own, and outlives whoever made it.</Empty>
        }
      >
        {(rows) => <Table columns={columns} rows={rows} keyOf={({ caller_id }) => caller_id} />}
      </Rows>
      {changed && <ChangeLimits of={changed} onClose={() => setChanged(undefined)} />}
    </section>
  );
}

function ChangeLimits({ of: { caller_id, name = caller_id }, onClose }: { of: Account; onClose: () => void }) {
  // Limits stand on each key, and a change of one key's is a change of all.
  const keys = useRead("GET /v1/keys", { query: { caller_id, status: "active", limit: 1 } });
  return (
    <Dialog title={`Limits of ${name}`} onClose={onClose}>
      <Loaded query={keys}>
        {({ data: [key] }) =>
          key ? <LimitsForm of={key} onClose={onClose} /> : <p>Its last key has ended: there is nothing to limit.</p>
        }
      </Loaded>
    </Dialog>
  );
}

function LimitsForm({ of: known, onClose }: { of: Key; onClose: () => void }) {
  // The limits with which the form began: two owners' tabs do not overwrite each other unseen.
  const [began] = useState(known);
  const { grant, key_id } = began;
  const save = useChange(({ limits, version }: { limits: GrantBody; version: number }) =>
    call("PATCH /v1/keys/{key_id}", {
      parameters: { key_id },
      body: { grant: limits },
      ifMatch: `"${version}"`,
    }),
  );
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const limits = readGrant(new FormData(event.currentTarget), grant);
    const { version } = isConflict(save.error) ? known : began;
    save.mutate({ limits, version }, { onSuccess: onClose });
  };
  return (
    <form onSubmit={submit}>
      <p>They hold for all of its keys, within 60 seconds.</p>
      <GrantFields of={grant} error={save.error} path="grant." />
      <GrantProblem error={save.error} now={known.grant} />
      <SubmitActions onClose={onClose} isPending={save.isPending} action="Save" pending="Saving …" />
    </form>
  );
}
