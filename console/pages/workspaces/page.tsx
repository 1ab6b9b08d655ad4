// All workspaces of a person: switching, joining, opening a further one.
import { useState } from "react";
import { useLocation } from "wouter";
import { call } from "../../app/call.ts";
import { useVisitor } from "../../app/page.ts";
import { useChange } from "../../app/query.ts";
import { refresh } from "../../app/session.ts";
import { FormProblem } from "../../parts/field.tsx";
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
      <h1>Workspaces</h1>
      <table>
        <thead>
          <tr>
            {["Name", "Role", "Status", ""].map((title) => (
              <th key={title} scope="col">
                {title || <span className="unseen">Actions</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {open.map(({ tenant_id, tenant_name, tenant_role, tenant_status, status }) => (
            <tr key={tenant_id}>
              <th scope="row">{tenant_name ?? tenant_id}</th>
              <td>{tenant_role}</td>
              <td>{status === undefined ? "invited" : tenant_status}</td>
              <td>
                {tenant_id === me.tenant_id ? (
                  "this one"
                ) : (
                  <button type="button" disabled={choose.isPending} onClick={() => choose.mutate(tenant_id)}>
                    {status === undefined ? "Join" : "Switch"}
                  </button>
                )}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
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
