// Purging a deleted tenant: everything of it is removed, and the tenant itself last, so that a purge that was cut off goes on.
import * as z from "zod";
import type { Log } from "../kernel/log.ts";
import { Refusal } from "../kernel/refusal.ts";
import { type Retention, retentionMs } from "../kernel/retention.ts";
import type { UserStore } from "../people/user.ts";
import { type AuditEntry, auditEntry, platformTrail } from "../workspace/audit.ts";
import type { OwnedTenants } from "../workspace/owned-tenants.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import { type OutsideResources, removeOutside } from "./outside-resources.ts";

/** This long after a deletion the caches of 60 s and the longest call are over: nothing more is written for the tenant. */
export const settlingSeconds = 900;

/** A deleted workspace, from its deletion to its purge (docs/specification.md, Limits). */
export const deletedTenantRetention = { days: 14 } as const satisfies Retention;

export const purgeJobSchema = z.object({ tenant_id: z.string() });

export type PurgeJob = z.output<typeof purgeJobSchema>;

/** Something that exists, or was about to exist, outside the table. */
export type ManifestEntry = { kind: string; state: "intended" | "done" };

export interface TenantRemains {
  /** Ids of the tenants that were deleted at that time or before, oldest first. */
  deletedUntil(time: string): AsyncIterable<string>;
  manifest(tenantId: string): Promise<ManifestEntry[]>;
  /** Subs of all past and present members who are still listed. */
  people(tenantId: string): Promise<string[]>;
  /**
   * Removes all rows but those that `forget` removes, and every row of the people in `gone`. May be repeated.
   * @returns how many rows there were, by kind of record
   */
  remove(tenant: Tenant, now: number, gone?: readonly string[]): Promise<Record<string, number>>;
  /** Removes the tenant, its address and its listing, and writes the entry: all or nothing. */
  forget(tenant: Tenant, entry: AuditEntry): Promise<void>;
}

/** The accounts of a deleted tenant's people. */
export interface MemberAccounts {
  /** Removes the accounts that go with the tenant (account-removal.ts): `gone` are all people who have none any more. May be repeated. */
  removeMembers(tenantId: string, subs: readonly string[]): Promise<{ gone: string[]; removed: number }>;
}

export type PurgeDependencies = {
  tenants: Pick<TenantStore, "get">;
  remains: TenantRemains;
  outside: readonly OutsideResources[];
  ownedTenants: Pick<OwnedTenants, "release">;
  users: Pick<UserStore, "record">;
  accounts: MemberAccounts;
  log: Log;
  clock: () => number;
  newId: () => string;
};

/** The latest time of deletion that has settled by now, in ISO 8601. */
export function settledUntil(now: number): string {
  return new Date(now - settlingSeconds * 1000).toISOString();
}

/** The latest time of deletion whose purge is due now, in ISO 8601. */
function dueUntil(now: number): string {
  return new Date(now - retentionMs(deletedTenantRetention)).toISOString();
}

/** Seconds until a deletion has settled, 0 to 900. */
export function secondsToSettle({ deleted_at }: Tenant, now: number): number {
  const since = (now - Date.parse(deleted_at ?? "")) / 1000;
  return Math.max(0, Math.min(settlingSeconds, Math.ceil(settlingSeconds - since)));
}

/** An admin asks not to wait for the 14 days. What the schedule finds of it later goes on where it stopped. */
export function purgeRequested(tenant: Tenant, actor: string): Tenant {
  if (tenant.status !== "deleted") {
    throw new Refusal("workspace_not_deleted", `The workspace is ${tenant.status}: only a deleted one can be purged`);
  }
  return tenant.purge_requested_by === undefined ? { ...tenant, purge_requested_by: actor } : tenant;
}

/**
 * Does nothing for a tenant that is gone, is not deleted or is not due. While usage is still to be billed everything stays, and the
 * next run of the schedule looks again.
 * @throws what it could not do; a repeat goes on
 */
export async function purgeTenant(deps: PurgeDependencies, { tenant_id }: PurgeJob): Promise<void> {
  const { tenants, remains, outside, log, clock, newId } = deps;
  const tenant = await tenants.get(tenant_id);
  const now = clock();
  if (tenant?.status !== "deleted") return;
  const { deleted_at = "", slug, owner_sub, purge_requested_by } = tenant;
  if (purge_requested_by === undefined && deleted_at > dueUntil(now)) return;
  if (secondsToSettle(tenant, now) > 0) throw new Error(`the deletion of tenant ${tenant_id} has not settled yet`);

  const entries = await remains.manifest(tenant_id);
  const kinds = await removeOutside(outside, tenant_id);
  if (kinds === "waiting") return;
  requireRemoved(tenant_id, entries, kinds);
  // A run that continues one that was cut off may find the owner's account gone.
  const ownerEmail = (await deps.users.record(owner_sub)).profile?.email;
  await deps.ownedTenants.release(tenant);
  const accounts = await deps.accounts.removeMembers(tenant_id, await remains.people(tenant_id));
  const rows = await remains.remove(tenant, now, accounts.gone);
  const removed = { ...rows, ...kinds, account: accounts.removed };
  const by = purge_requested_by
    ? ({ actor: purge_requested_by, actor_role: "platform_admin" } as const)
    : { actor: "purge" };
  const change = { tenant_id: platformTrail, ...by, action: "tenant.purge", target: tenant_id } as const;
  const told = { before: { slug, owner_sub, owner_email: ownerEmail, deleted_at }, after: { removed } };
  await remains.forget(tenant, auditEntry({ ...change, ...told }, { id: newId(), now }));
  log.info("A tenant was purged", { tenant_id, requested_by: purge_requested_by, removed });
}

function requireRemoved(tenantId: string, entries: readonly ManifestEntry[], kinds: Record<string, number>): void {
  const left = entries.filter(({ kind, state }) => state === "done" && kinds[kind] === undefined);
  if (left.length === 0) return;
  throw new Error(`tenant ${tenantId} still has outside the table: ${left.map(({ kind }) => kind).join(", ")}`);
}
