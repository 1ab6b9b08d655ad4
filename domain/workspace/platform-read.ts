// Reading of a workspace by the platform's own people: each look is on the workspace's trail and on the platform's before it is answered.
import { type AuditEntry, auditEntry, platformTrail } from "./audit.ts";
import type { PlatformRole } from "./platform-role.ts";

export type PlatformReader = { sub: string; platformRole: PlatformRole };

export type PlatformReadDependencies = {
  audit: { note(entry: AuditEntry): Promise<void> };
  clock: () => number;
  newId: () => string;
};

/** The kind of data that somebody of the platform looked at. Nobody can read what a model was asked or answered: it is stored nowhere. */
export type PlatformRead = "tenant.read" | "tenant.read_users" | "tenant.read_usage" | "tenant.read_audit";

/** @throws Refusal store_unavailable: a read that cannot be noted is refused */
export function noteRead(
  deps: PlatformReadDependencies,
  { sub, platformRole }: PlatformReader,
  tenantId: string,
  action: PlatformRead,
): Promise<void> {
  const change = { tenant_id: tenantId, actor: sub, actor_role: platformRole, action, target: tenantId };
  return deps.audit.note(auditEntry(change, stamp(deps)));
}

/** Notes a search for workspaces, on the platform's trail alone: its answer tells which ones there are and nothing of them. @param filter what was searched for */
export function noteSearch(
  deps: PlatformReadDependencies,
  { sub, platformRole }: PlatformReader,
  filter: Record<string, string | undefined>,
): Promise<void> {
  const [[name, value] = ["", ""]] = Object.entries(filter).filter(([, value]) => value !== undefined);
  const change = { tenant_id: platformTrail, actor: sub, actor_role: platformRole, action: "tenant.search" } as const;
  return deps.audit.note(auditEntry({ ...change, target: name, after: { [name]: value } }, stamp(deps)));
}

function stamp({ clock, newId }: PlatformReadDependencies) {
  return { id: newId(), now: clock() };
}
