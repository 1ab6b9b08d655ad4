// People, as the platform's administrators see them: who waits for approval, and the approval.
import { pageAnswer } from "../../domain/page.ts";
import { Refusal } from "../../domain/refusal.ts";
import { auditEntry, platformTrail } from "../../domain/tenancy/audit.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { Operations } from "./operation.ts";
import type { userRoutes } from "./users.routes.ts";

type Dependencies = Pick<ControlDependencies, "approvals" | "users" | "clock" | "newId">;

export function userOperations({ approvals, users, clock, newId }: Dependencies): Operations<typeof userRoutes> {
  return {
    async listPendingUsers({ query }) {
      return pageAnswer(await approvals.pending(query));
    },

    async approveUser({ caller, parameters: { user_id } }) {
      const { profile } = await users.record(user_id);
      if (!profile) throw new Refusal("not_found", `user_id: there is nobody ${user_id} here`);
      const approved = { ...profile, approval_status: "approved" as const };
      if (profile.approval_status === "approved") return approved;
      const change = { tenant_id: platformTrail, actor: caller.sub, action: "user.approve", target: user_id } as const;
      const entry = auditEntry({ ...change, before: profile, after: approved }, { id: newId(), now: clock() });
      await approvals.approve(user_id, entry);
      return approved;
    },
  };
}
