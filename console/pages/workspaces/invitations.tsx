// Invitations that wait for the person's answer. Names of workspaces may be alike, and anybody may invite any address, so each stands with its
// address and who invites.
import { useLocation } from "wouter";
import { call } from "../../app/call.ts";
import { fullName, isWaiting } from "../../app/membership.ts";
import { useVisitor } from "../../app/page.ts";
import { useChange } from "../../app/query.ts";
import { refresh } from "../../app/session.ts";
import { FormProblem } from "../../parts/field.tsx";
import { Table } from "../../parts/table.tsx";
import { When } from "../../parts/time.tsx";

/** Nothing where no invitation waits. @param to the page that somebody who joins sees first */
export function Invitations({ to }: { to: string }) {
  const { me } = useVisitor();
  const [, go] = useLocation();
  const accept = useChange(
    async (id: string) => {
      await call("POST /v1/me/invitations/{id}/accept", { parameters: { id } });
      await call("POST /v1/tenants/{id}/activate", { parameters: { id } });
      await refresh();
    },
    () => go(to),
  );
  const decline = useChange((id: string) => call("POST /v1/me/invitations/{id}/decline", { parameters: { id } }));
  const waiting = me.memberships.filter(isWaiting);
  if (waiting.length === 0) return null;
  const isBusy = accept.isPending || decline.isPending;
  return (
    <section>
      <h2>You are invited</h2>
      <p>Anybody can invite you and choose any name. Join only if you know the address of who invites.</p>
      <Table
        rows={waiting}
        keyOf={({ tenant_id }) => tenant_id}
        columns={[
          { title: "Workspace", of: fullName, isHead: true },
          { title: "Invited by", of: ({ invited_by }) => invited_by ?? "its owner" },
          { title: "When", of: ({ invited_at }) => <When at={invited_at} /> },
          {
            title: "",
            of: (invitation) => (
              <>
                <button
                  type="button"
                  aria-label={`Join ${fullName(invitation)}`}
                  disabled={isBusy}
                  onClick={() => accept.mutate(invitation.tenant_id)}
                >
                  Join
                </button>
                <button
                  type="button"
                  aria-label={`Decline ${fullName(invitation)}`}
                  disabled={isBusy}
                  onClick={() => decline.mutate(invitation.tenant_id)}
                >
                  Decline
                </button>
              </>
            ),
          },
        ]}
      />
      <FormProblem error={accept.error ?? decline.error} />
    </section>
  );
}
