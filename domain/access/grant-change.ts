// Replaces and deletes a person's grant, each on the state that was read and with its audit entry.
import { optimistically } from "../kernel/optimistic.ts";
import { requireVersion } from "../kernel/precondition.ts";
import { contention, fieldRefusal, Refusal } from "../kernel/refusal.ts";
import type { UserStore } from "../people/user.ts";
import { entryBy } from "../workspace/audit.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import type { Actor } from "./access-rule.ts";
import {
  checkGrant,
  equals,
  type Grant,
  type GrantBounds,
  type GrantRecord,
  type GrantStore,
  isWithin,
  withUsableRegion,
} from "./grant.ts";

export type GrantChangeDependencies = GrantBounds & {
  grants: Pick<GrantStore, "get" | "put" | "delete">;
  tenants: Pick<TenantStore, "get">;
  clock: () => number;
  newId: () => string;
};

/**
 * A grant that stays the same is not written.
 * @param expected versions of which the grant must have one; "0" stands for a missing grant
 * @throws Refusal invalid_request, precondition_failed, tenant_suspended for more than before in a suspended workspace, not_found for a person outside the workspace, or changed_meanwhile
 */
export async function replaceGrant(
  deps: GrantChangeDependencies,
  actor: Actor,
  devSub: string,
  limits: Grant,
  expected: readonly string[] | undefined,
): Promise<GrantRecord> {
  const { grants, tenants, clock } = deps;
  checkGrant(limits, deps);
  const tenant = await tenants.get(actor.tenantId);
  return optimistically(async () => {
    const before = await grants.get(actor.tenantId, devSub);
    requireVersion(expected, before?.updated_at ?? noVersion);
    // The time is the version, so it must be later than the previous one.
    if (tenant?.status === "suspended" && !(before && isWithin(limits, before))) throw raisesInSuspension();
    const now = Math.max(clock(), before ? Date.parse(before.updated_at) + 1 : 0);
    const after = {
      tenant_id: actor.tenantId,
      dev_sub: devSub,
      ...withUsableRegion(limits, tenant?.default_region),
      updated_at: new Date(now).toISOString(),
      updated_by: actor.sub,
    };
    if (before && equals(before, after)) return before;
    const entry = entryBy(deps, actor, { action: "grant.put", target: devSub, before, after });
    const written = await grants.put(after, { before, entry });
    if (written === "stale") return undefined;
    if (written) return after;
    throw isNoMember(devSub);
  }, outrun);
}

/**
 * Deleting a grant that a person of the workspace does not have changes nothing.
 * @throws Refusal not_found for somebody who never belonged to the workspace, precondition_failed or changed_meanwhile
 */
export async function deleteGrant(
  deps: Pick<GrantChangeDependencies, "grants" | "clock" | "newId"> & { users: Pick<UserStore, "membership"> },
  actor: Actor,
  devSub: string,
  expected: readonly string[] | undefined,
): Promise<void> {
  await optimistically(async () => {
    const before = await deps.grants.get(actor.tenantId, devSub);
    requireVersion(expected, before?.updated_at ?? noVersion);
    if (!before) {
      if (await deps.users.membership(devSub, actor.tenantId)) return true;
      throw isNoMember(devSub);
    }
    const entry = entryBy(deps, actor, { action: "grant.delete", target: devSub, before });
    return (await deps.grants.delete(actor.tenantId, devSub, { before, entry })) || undefined;
  }, outrun);
}

/** Version of a grant that does not exist. */
const noVersion = "0";

function isNoMember(devSub: string): Refusal {
  return fieldRefusal("not_found", "dev_sub", `${devSub} is not a member of this workspace`);
}

export function noGrant(devSub: string): Refusal {
  return fieldRefusal("not_found", "dev_sub", `${devSub} has no grant in this workspace`);
}

function raisesInSuspension(): Refusal {
  return new Refusal("tenant_suspended", "The workspace is suspended: until it is resumed a grant can only be lowered");
}

function outrun(): never {
  throw contention("dev_sub", "the grant is being changed by others, try again");
}
