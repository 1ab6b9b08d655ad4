// The audit trail over HTTP: a workspace's trail for its owner and the platform's administrators, the platform's own for the latter.
import * as z from "zod";
import type { Page } from "../../../domain/kernel/page.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { type AuditEntry, platformTrail } from "../../../domain/workspace/audit.ts";
import { noteRead } from "../../../domain/workspace/platform-read.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { auditRoutes } from "./audit.routes.ts";

type Dependencies = Pick<ControlDependencies, "audit" | "users" | "clock" | "newId">;

/** Nouns whose target is a person. */
const ofPeople = /^(user|grant)\./;

export function auditOperations(deps: Dependencies): Operations<typeof auditRoutes> {
  const { audit, users, clock } = deps;

  /** @param isPlatforms whether the reader may know the addresses of the platform's own people */
  async function withAddresses({ items, next }: Page<AuditEntry>, isPlatforms: boolean) {
    const actorOf = ({ actor, actor_role }: AuditEntry) => (actor_role && !isPlatforms ? [] : [actor]);
    const personOf = ({ action, target }: AuditEntry) => (ofPeople.test(action) ? [target] : []);
    const emails = await users.emails([...new Set(items.flatMap((entry) => [...actorOf(entry), ...personOf(entry)]))]);
    const shown = items.map((entry) => ({
      ...entry,
      actor_email: emails.get(actorOf(entry)[0] ?? ""),
      target_email: emails.get(personOf(entry)[0] ?? ""),
    }));
    return pageAnswer({ items: shown, next });
  }

  return {
    async listAudit({ caller, query: { page, filter } }) {
      return withAddresses(await audit.list(caller.tenantId, filter, page, clock()), false);
    },

    async listPlatformAudit({ query: { page, filter } }) {
      return withAddresses(await audit.list(platformTrail, filter, page, clock()), true);
    },

    async listTenantAudit({ caller, parameters: { id }, query: { page, filter } }) {
      if (!z.uuid().safeParse(id).success) throw new Refusal("not_found", `id: there is no workspace ${id} here`);
      await noteRead(deps, caller, id, "tenant.read_audit");
      return withAddresses(await audit.list(id, filter, page, clock()), true);
    },
  };
}
