// The caller, as the platform knows them.
import { activeWorkspace } from "../../domain/tenancy/workspace.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { meRoutes } from "./me.routes.ts";
import type { Operations } from "./operation.ts";

type Dependencies = Pick<ControlDependencies, "users" | "tenants">;

export function meOperations({ users, tenants }: Dependencies): Operations<typeof meRoutes> {
  return {
    async getMe({ caller }) {
      const record = await users.record(caller.sub);
      const workspace = await activeWorkspace(record, caller.client_id, tenants);
      return {
        sub: caller.sub,
        email: record.profile?.email,
        approval_status: record.profile?.approval_status,
        platform_role: caller.platform_role,
        tenant_id: workspace?.tenant.tenant_id,
        tenant_role: workspace?.membership.tenant_role,
        memberships: record.memberships,
      };
    },
  };
}
