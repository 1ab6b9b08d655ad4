// The audit trail over HTTP: a workspace's trail for its owner, the platform's own for its administrators.
import { platformTrail } from "../../../domain/workspace/audit.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { auditRoutes } from "./audit.routes.ts";

type Dependencies = Pick<ControlDependencies, "audit" | "clock">;

export function auditOperations({ audit, clock }: Dependencies): Operations<typeof auditRoutes> {
  return {
    async listAudit({ caller, query: { page, filter } }) {
      return pageAnswer(await audit.list(caller.tenantId, filter, page, clock()));
    },

    async listPlatformAudit({ query: { page, filter } }) {
      return pageAnswer(await audit.list(platformTrail, filter, page, clock()));
    },
  };
}
