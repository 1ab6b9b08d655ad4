// The audit trail of a workspace, for its owner.
import { pageAnswer } from "../../domain/page.ts";
import type { auditRoutes } from "./audit.routes.ts";
import type { ControlDependencies } from "./dependencies.ts";
import type { Operations } from "./operation.ts";

type Dependencies = Pick<ControlDependencies, "audit" | "clock">;

export function auditOperations({ audit, clock }: Dependencies): Operations<typeof auditRoutes> {
  return {
    async listAudit({ caller, query: { page, filter } }) {
      return pageAnswer(await audit.list(caller.tenant_id, filter, page, clock()));
    },
  };
}
