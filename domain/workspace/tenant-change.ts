// Changes of a tenant after its creation. Each writes a new state on the version that it was made from, with its audit entry.
import { optimistically } from "../kernel/optimistic.ts";
import { requireVersion } from "../kernel/precondition.ts";
import { contention, fieldRefusal, Refusal } from "../kernel/refusal.ts";
import { type AuditEntry, auditEntry } from "./audit.ts";
import type { AuditAction } from "./audit-actions.ts";
import type { PlatformRole } from "./platform-role.ts";
import { slugTaken } from "./slug.ts";
import { slugify } from "./slugify.ts";
import type { Tenant, TenantStore } from "./tenant.ts";
import type { TenantPatch } from "./tenant-body.ts";

export interface TenantChanges {
  /**
   * Writes the changed fields, the reservation of the slug and the listing by status in one transaction.
   * `stale`: the tenant is not at the version of `before`. `taken`: another tenant has the slug.
   */
  write(before: Tenant, after: Tenant, entry: AuditEntry): Promise<"written" | "stale" | "taken">;
}

export type ChangeDependencies = {
  tenants: Pick<TenantStore, "get">;
  tenantChanges: TenantChanges;
  clock: () => number;
  newId: () => string;
};

type Change = {
  actor: string;
  /** The role of the platform in which the actor does it. */
  actorRole?: PlatformRole | undefined;
  action: AuditAction;
  /** Versions of which the tenant must have one; undefined accepts any. */
  expected?: readonly string[] | undefined;
  /** Returns the changed tenant, or throws the refusal. */
  change: (tenant: Tenant) => Tenant;
};

/**
 * @param tenant as it was just read
 * @returns the tenant afterwards. A tenant that does not change is not written.
 * @throws Refusal of the change, precondition_failed, or changed_meanwhile.
 */
export async function changeTenant(
  { tenants, tenantChanges, clock, newId }: ChangeDependencies,
  tenant: Tenant,
  { actor, actorRole, action, expected, change }: Change,
): Promise<Tenant> {
  const { tenant_id } = tenant;
  let before = tenant;
  return optimistically(async () => {
    requireVersion(expected, versionOf(before));
    const after = change(before);
    if (isSame(before, after)) return before;
    const changed = { tenant_id, actor, actor_role: actorRole, action, target: tenant_id, before, after };
    const outcome = await tenantChanges.write(before, after, auditEntry(changed, { id: newId(), now: clock() }));
    if (outcome === "written") return { ...after, version: (before.version ?? 0) + 1 };
    if (outcome === "taken") {
      throw slugTaken(after.slug);
    }
    const current = await tenants.get(tenant_id);
    if (!current) throw fieldRefusal("not_found", "id", `there is no workspace ${tenant_id} here`);
    before = current;
    return undefined;
  }, outrun);
}

function outrun(): never {
  throw contention("id", "the workspace is being changed by others, try again");
}

/** A tenant that was never changed has version 0. */
function versionOf({ version }: Tenant): string {
  return String(version ?? 0);
}

/** A new name gives the tenant a new address. @throws Refusal tenant_suspended if the tenant is deleted. */
export function patchedTenant(
  tenant: Tenant,
  { monthly_cap_usd: cap, browser_origins: origins, name, ...rest }: TenantPatch,
): Tenant {
  requireNotDeleted(tenant);
  const { monthly_cap_usd: cappedAt, browser_origins: originsBefore = [], ...others } = tenant;
  const capAfter = cap === undefined ? cappedAt : cap;
  const originsAfter = origins ?? originsBefore;
  const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined));
  return {
    ...others,
    ...given,
    ...(name !== undefined && { name, slug: slugify(name) }),
    ...(typeof capAfter === "number" && { monthly_cap_usd: capAfter }),
    ...(originsAfter.length > 0 && { browser_origins: originsAfter }),
  };
}

/** @throws Refusal workspace_deleted if the tenant is deleted. */
export function suspended(tenant: Tenant, reason: string, now: number): Tenant {
  if (tenant.status === "deleted")
    throw fieldRefusal("workspace_deleted", "id", "a deleted workspace cannot be suspended");
  const suspendedAt = tenant.suspended_at ?? new Date(now).toISOString();
  return { ...tenant, status: "suspended", suspended_reason: reason, suspended_at: suspendedAt };
}

/** @throws Refusal workspace_deleted if the tenant is deleted. */
export function resumed(tenant: Tenant): Tenant {
  if (tenant.status === "deleted")
    throw fieldRefusal("workspace_deleted", "id", "a deleted workspace cannot be resumed");
  const { suspended_reason: _reason, suspended_at: _at, ...rest } = tenant;
  return { ...rest, status: "active" };
}

/** A deleted tenant stays as it is, so the time of the first deletion counts. */
export function softDeleted(tenant: Tenant, now: number): Tenant {
  if (tenant.status === "deleted") return tenant;
  return { ...tenant, status: "deleted", deleted_at: new Date(now).toISOString() };
}

function requireNotDeleted({ status }: Tenant): void {
  if (status === "deleted") throw new Refusal("tenant_suspended", "The workspace is deleted");
}

function isSame(one: Tenant, other: Tenant): boolean {
  const text = (tenant: Tenant) => JSON.stringify(Object.entries(tenant).sort(([a], [b]) => a.localeCompare(b)));
  return text(one) === text(other);
}
