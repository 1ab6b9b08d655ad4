// All workspaces of a person: switching, joining, opening a further one.

import { useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../app/call.ts";
import { useVisitor } from "../../app/page.ts";
import { useChange } from "../../app/query.ts";
import { refresh } from "../../app/session.ts";
import { FormProblem } from "../../parts/field.tsx";
import { PageHead } from "../../parts/page-head.tsx";
import { Table } from "../../parts/table.tsx";
import { NewWorkspace } from "../onboarding/page.tsx";

export default function Workspaces() {
  const { me } = useVisitor();
  const [, go] = useLocation();
  const [isNew, setNew] = useState(false);
  const choose = useChange(
    async (id: string) => {
      await call("POST /v1/tenants/{id}/activate", { parameters: { id } });
      await refresh();
    },
    () => go("/"),
  );
  const open = me.memberships.filter(({ status }) => status !== "removed");
  return (
    <>
      <PageHead title="Workspaces" />
      <Table
        rows={open}
        keyOf={({ tenant_id }) => tenant_id}
        columns={[
          { title: "Name", of: ({ tenant_name, tenant_id }) => tenant_name ?? tenant_id, isHead: true },
          { title: "Role", of: ({ tenant_role }) => tenant_role },
          { title: "Status", of: ({ status, tenant_status }) => (status === undefined ? "invited" : tenant_status) },
          {
            title: "",
            of: ({ tenant_id, status }) =>
              tenant_id === me.tenant_id ? (
                "You are here"
              ) : (
                <button type="button" disabled={choose.isPending} onClick={() => choose.mutate(tenant_id)}>
                  {status === undefined ? "Join" : "Switch"}
                </button>
              ),
          },
        ]}
      />
      <FormProblem error={choose.error} />
      {isNew ? (
        <NewWorkspace />
      ) : (
        <button type="button" onClick={() => setNew(true)}>
          New workspace
        </button>
      )}
    </>
  );
}
