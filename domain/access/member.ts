// Members: the people of a workspace as its owner sees them, and how they end: removed, or with a declined invitation.
import * as z from "zod";
import type { Page, PageRequest } from "../kernel/page.ts";
import { fieldRefusal, Refusal } from "../kernel/refusal.ts";
import { noInvitation } from "../people/acceptance.ts";
import { type Membership, membershipSchema, noSuchPerson, type UserStore } from "../people/user.ts";
import { type AuditEntry, entryBy } from "../workspace/audit.ts";
import type { Actor } from "./access-rule.ts";
import type { GrantRecord } from "./grant.ts";

export const memberSchema = z.object({
  user_id: z.string().describe("Id of the person: the `sub` of their tokens"),
  email: z
    .string()
    .optional()
    .describe("Address with which the person signs in. Before the first sign-in: the address of the invitation"),
  ...membershipSchema.pick({
    tenant_role: true,
    status: true,
    created_at: true,
    invited_at: true,
    activated_at: true,
    removed_at: true,
  }).shape,
  has_grant: z.boolean().describe("Whether the person has a grant in this workspace"),
  last_used_at: z.iso
    .datetime()
    .optional()
    .describe(
      "When one of the person's active API keys was last used, to the minute. Calls with an access token do not count",
    ),
});

/** A member as the store knows them. Their spending is in records of its own. */
export type Member = {
  membership: Membership;
  email: string | undefined;
  grant: GrantRecord | undefined;
  /** Ids of the member's active keys. */
  keyIds: string[];
};

/** The membership, grant and keys of a person at their removal. */
export type Leaving = { membership: Membership; grant: GrantRecord | undefined; keyIds: string[] };

export interface MemberStore {
  /** Active, invited and removed people in the order of their subs. @param status lists only people of this status */
  list(tenantId: string, status: Membership["status"], page: PageRequest): Promise<Page<Member>>;
  /** A person of any status; undefined for who never belonged to the tenant. */
  get(tenantId: string, sub: string): Promise<Member | undefined>;
  /** Looks up which of these people belong or belonged to the tenant. @param subs each once */
  many(tenantId: string, subs: readonly string[]): Promise<Member[]>;
  /**
   * Sets the membership removed, deletes the grant and revokes all active keys in one transaction. An owner is never removed.
   * Returns `removed` also for a person who was removed before; then nothing is written.
   * @param entryOf makes the audit entry from what the person had at that moment
   * @throws Refusal store_unavailable if others change the person's keys or grant in each attempt
   */
  remove(
    tenantId: string,
    sub: string,
    now: number,
    entryOf: (leaving: Leaving) => AuditEntry,
  ): Promise<"removed" | "owner" | "missing">;
}

export type MemberRemovalDependencies = {
  members: Pick<MemberStore, "remove">;
  clock: () => number;
  newId: () => string;
};

/** The owner sees and removes everybody, a developer only themselves. @throws Refusal role_missing */
export function requireSelf(actor: Actor, sub: string): void {
  if (actor.role === "owner" || sub === actor.sub) return;
  throw new Refusal("role_missing", "This needs the role owner; a developer sees and removes only themselves");
}

/**
 * Declines the person's invitation to the tenant, with what was prepared for them there. Declining twice is as once.
 * @throws Refusal not_found, or already_member: who has accepted leaves the workspace instead
 */
export async function declineInvitation(
  deps: MemberRemovalDependencies & { users: Pick<UserStore, "membership"> },
  sub: string,
  tenantId: string,
): Promise<void> {
  const membership = await deps.users.membership(sub, tenantId);
  if (!membership) throw noInvitation(tenantId);
  if (membership.status === "active") {
    throw fieldRefusal("already_member", "id", "you belong to the workspace; leave it with DELETE /v1/users/me");
  }
  const after = { status: "removed" };
  await deps.members.remove(tenantId, sub, deps.clock(), ({ membership: { status }, grant }) =>
    entryBy(deps, { sub, tenantId }, { action: "user.decline", target: sub, before: { status, grant }, after }),
  );
}

/** The owner removes anybody else, a developer only themselves. @throws Refusal role_missing, not_found or owner_cannot_leave */
export async function removeMember(deps: MemberRemovalDependencies, actor: Actor, sub: string): Promise<void> {
  requireSelf(actor, sub);
  const outcome = await deps.members.remove(actor.tenantId, sub, deps.clock(), ({ membership, grant, keyIds }) => {
    const before = { status: membership.status, grant, active_keys: keyIds };
    return entryBy(deps, actor, { action: "user.remove", target: sub, before, after: { status: "removed" } });
  });
  if (outcome === "missing") throw noSuchPerson(sub);
  if (outcome === "removed") return;
  throw fieldRefusal(
    "owner_cannot_leave",
    "user_id",
    "the owner cannot leave: a workspace has one owner; delete it instead",
  );
}
