// Members: the people of a workspace as its owner sees them, and how they leave it. What they spent is added where both are known.
import * as z from "zod";
import type { Page, PageRequest } from "../kernel/page.ts";
import type { AuditEntry } from "../workspace/audit.ts";
import { type Membership, membershipSchema } from "../workspace/user.ts";
import type { GrantRecord } from "./grant.ts";

export const memberSchema = z.object({
  /** The sub. */
  user_id: z.string(),
  /** As the person signs in; of somebody who has not come yet, as the invitation has it. */
  email: z.string().optional(),
  ...membershipSchema.pick({
    tenant_role: true,
    status: true,
    created_at: true,
    invited_at: true,
    activated_at: true,
    removed_at: true,
  }).shape,
  has_grant: z.boolean(),
  /** Of their active API keys, to the minute; a call with a token leaves none. */
  last_used_at: z.iso.datetime().optional(),
});

/** What the table knows of a member. */
export type Member = { membership: Membership; email: string | undefined; hasGrant: boolean; keyIds: string[] };

/** What a member had when they were removed. */
export type Leaving = { membership: Membership; grant: GrantRecord | undefined; keyIds: string[] };

export interface MemberStore {
  /** In the order of their subs: who belongs to the tenant, is invited or was removed. @param status only those */
  list(tenantId: string, status: Membership["status"], page: PageRequest): Promise<Page<Member>>;
  /**
   * The membership becomes removed; the grant is deleted and all active keys are revoked in the same transaction.
   * `removed` also for one who was removed before: then nothing is written. An owner is never removed.
   * @param entryOf for what the person had at that moment
   * @throws Refusal store_unavailable if others change the person's keys or grant at each try
   */
  remove(
    tenantId: string,
    sub: string,
    now: number,
    entryOf: (leaving: Leaving) => AuditEntry,
  ): Promise<"removed" | "owner" | "missing">;
}
