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
import { Invitations } from "./invitations.tsx";

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
  const open = me.memberships.filter(({ status }) => status === "active");
  return (
    <>
      <PageHead title="Workspaces" />
      <Invitations to="/" />
      <Table
        rows={open}
        keyOf={({ tenant_id }) => tenant_id}
        columns={[
          { title: "Name", of: ({ tenant_name, tenant_id }) => tenant_name ?? tenant_id, isHead: true },
          { title: "Address", of: ({ tenant_slug }) => tenant_slug ?? "–" },
          { title: "Role", of: ({ tenant_role }) => tenant_role },
          { title: "Invited by", of: ({ invited_by }) => invited_by ?? "–" },
          { title: "Status", of: ({ tenant_status }) => tenant_status },
          {
            title: "",
            of: ({ tenant_id }) =>
              tenant_id === me.tenant_id ? (
                "You are here"
              ) : (
                <button type="button" disabled={choose.isPending} onClick={() => choose.mutate(tenant_id)}>
                  Switch
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
