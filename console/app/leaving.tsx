// Leaving a workspace, and the offer of it to a person who has just joined.
import { useLocation } from "wouter";
import { dayMs } from "../charts/period.ts";
import { FormProblem } from "../parts/field.tsx";
import { call } from "./call.ts";
import { fullName } from "./membership.ts";
import { useVisitor } from "./page.ts";
import { platformNow } from "./platform.ts";
import { useChange } from "./query.ts";
import { refresh } from "./session.ts";

/** For a day after somebody joined: who invited them, and the way out again. */
export function JoinedLately() {
  const { me } = useVisitor();
  const joined = me.memberships.find(({ tenant_id }) => tenant_id === me.tenant_id);
  const leave = useLeave();
  if (!joined?.invited_at || platformNow() - Date.parse(joined.activated_at ?? "") > dayMs) return null;
  return (
    <div role="status">
      You have joined {fullName(joined)}, invited by {joined.invited_by ?? "its owner"}.{" "}
      <button type="button" className="link" disabled={leave.isPending} onClick={() => leave.mutate(undefined)}>
        Undo
      </button>
      <FormProblem error={leave.error} />
    </div>
  );
}

/** Leaves the workspace of the token, with the grant and the keys that the person has there. */
export function useLeave() {
  const [, go] = useLocation();
  return useChange(
    async () => {
      await call("DELETE /v1/users/{user_id}", { parameters: { user_id: "me" } });
      await refresh();
    },
    () => go("/onboarding"),
  );
}
