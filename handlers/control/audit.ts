// The audit trail: a workspace's for its owner, the platform's own for its administrators.
import { pageAnswer } from "../../domain/kernel/page.ts";
import { platformTrail } from "../../domain/workspace/audit.ts";
import type { auditRoutes } from "./audit.routes.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { Operations } from "./routing/operation.ts";

type Dependencies = Pick<ControlDependencies, "audit" | "clock">;

export function auditOperations({ audit, clock }: Dependencies): Operations<typeof auditRoutes> {
  return {
    async listAudit({ caller, query: { page, filter } }) {
      return pageAnswer(await audit.list(caller.tenant_id, filter, page, clock()));
    },

    async listPlatformAudit({ query: { page, filter } }) {
      return pageAnswer(await audit.list(platformTrail, filter, page, clock()));
    },
  };
}
