// The platform's administrators: finding a workspace, suspending, resuming and purging it, approving people.

import { type FormEvent, useState } from "react";
import type { Answer } from "../../app/api.ts";
import { call } from "../../app/call.ts";
import { useFilters } from "../../app/page.ts";
import { useChange } from "../../app/query.ts";
import { Confirm } from "../../parts/dialog.tsx";
import { Choice, Field, FormProblem, titled } from "../../parts/field.tsx";
import { Rows, useList } from "../../parts/more.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Empty } from "../../parts/state.tsx";
import { type Column, Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";

type Tenant = Answer<"GET /v1/tenants">["data"][number];
type Act = { kind: "suspend" | "purge"; id: string; name: string };

export default function Admin() {
  const [filters, set] = useFilters({ status: "active", slug: "", email: "" });
  const [act, setAct] = useState<Act>();
  const asked = filters.slug
    ? { slug: filters.slug }
    : filters.email
      ? { email: filters.email }
      : { status: filters.status };
  const tenants = useList("GET /v1/tenants", { query: asked });
  const resume = useChange((id: string) => call("POST /v1/tenants/{id}/resume", { parameters: { id } }));
  const search = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    set({ slug: String(form.get("slug")), email: String(form.get("email")), status: String(form.get("status")) });
  };
  const columns: Column<Tenant>[] = [
    { title: "Name", isHead: true, of: ({ name }) => name },
    { title: "Address", of: ({ slug }) => slug },
    { title: "Status", of: ({ status }) => status },
    { title: "Since", of: ({ created_at }) => <When at={created_at} /> },
    {
      title: "",
      of: ({ tenant_id: id, name, status }) => (
        <>
          {status === "active" && (
            <button type="button" onClick={() => setAct({ kind: "suspend", id, name })}>
              Suspend
            </button>
          )}
          {status === "suspended" && (
            <button type="button" disabled={resume.isPending} onClick={() => resume.mutate(id)}>
              Resume
            </button>
          )}
          {status === "deleted" && (
            <button type="button" onClick={() => setAct({ kind: "purge", id, name })}>
              Purge now
            </button>
          )}
        </>
      ),
    },
  ];
  return (
    <>
      <PageHead title="Platform" />
      <h2>Workspaces</h2>
      <form className="filters" onSubmit={search}>
        <Field label="Address" name="slug" defaultValue={filters.slug} />
        <Field label="Member's e-mail" name="email" type="email" defaultValue={filters.email} />
        <Choice
          label="Status"
          name="status"
          defaultValue={filters.status}
          options={["active", "suspended", "deleted"].map((status) => [status, titled(status)] as const)}
        />
        <button type="submit">Find</button>
      </form>
      <FormProblem error={resume.error} />
      <Rows list={tenants} empty={<Empty>No workspace fits.</Empty>}>
        {(rows) => <Table columns={columns} rows={rows} keyOf={({ tenant_id }) => tenant_id} />}
      </Rows>
      {act && <Acting act={act} onClose={() => setAct(undefined)} />}
      <Pending />
    </>
  );
}

function Acting({ act: { kind, id, name }, onClose }: { act: Act; onClose: () => void }) {
  const [reason, setReason] = useState("");
  const change = useChange(async () => {
    if (kind === "suspend") await call("POST /v1/tenants/{id}/suspend", { parameters: { id }, body: { reason } });
    else await call("DELETE /v1/tenants/{id}/purge", { parameters: { id } });
  });
  return (
    <Confirm
      title={`${kind === "suspend" ? "Suspend" : "Purge"} ${name}`}
      action={kind === "suspend" ? "Suspend" : "Purge"}
      isPending={change.isPending || (kind === "suspend" && reason.trim() === "")}
      error={change.error}
      onClose={onClose}
      onConfirm={() => change.mutate(undefined, { onSuccess: onClose })}
    >
      {kind === "suspend" ? (
        <Field
          label="Reason, which the owner reads"
          name="reason"
          required
          value={reason}
          onChange={({ target }) => setReason(target.value)}
        />
      ) : (
        <p>Everything that belongs to the workspace is removed, keys last. Nobody can bring it back.</p>
      )}
    </Confirm>
  );
}

function Pending() {
  const list = useList("GET /v1/users/pending", { query: {} });
  const approve = useChange((user_id: string) => call("POST /v1/users/{user_id}/approve", { parameters: { user_id } }));
  return (
    <>
      <h2>People who wait for approval</h2>
      <FormProblem error={approve.error} />
      <Rows list={list} empty={<Empty>Nobody waits.</Empty>}>
        {(rows) => (
          <ul>
            {rows.map(({ user_id, email, created_at }) => (
              <li key={user_id} className="row">
                {email ?? user_id}, since <When at={created_at} />
                <button type="button" disabled={approve.isPending} onClick={() => approve.mutate(user_id)}>
                  Approve
                </button>
              </li>
            ))}
          </ul>
        )}
      </Rows>
    </>
  );
}
