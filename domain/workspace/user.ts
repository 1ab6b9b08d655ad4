// People: one profile each, and one membership for each tenant, so that removal from one tenant does not touch another.
import * as z from "zod";
import type { Page, PageRequest } from "../kernel/page.ts";
import type { AuditEntry } from "./audit.ts";

export const tenantRoles = ["owner", "developer", "service_account"] as const;
export type TenantRole = (typeof tenantRoles)[number];

export const platformRoles = ["platform_admin"] as const;
export type PlatformRole = (typeof platformRoles)[number];

export const membershipSchema = z.object({
  sub: z.string(),
  tenant_id: z.uuid(),
  tenant_role: z.enum(tenantRoles),
  /** None while the person is invited and has not come yet. */
  status: z.enum(["active", "removed"]).optional(),
  created_at: z.iso.datetime(),
  invited_at: z.iso.datetime().optional(),
  activated_at: z.iso.datetime().optional(),
  removed_at: z.iso.datetime().optional(),
  /** To which the invitation went, in lower case. */
  email: z.string().optional(),
  /** When a mail last told of the invitation, or was to. */
  mailed_at: z.iso.datetime().optional(),
  /** Of the request that invited, so that its repeat knows its own. */
  invitation_id: z.string().optional(),
});

export type Membership = z.infer<typeof membershipSchema>;

export const profileSchema = z.object({
  sub: z.string(),
  email: z.string(),
  approval_status: z.enum(["pending", "approved"]),
  created_at: z.iso.datetime(),
});

export type Profile = z.infer<typeof profileSchema>;

/** Everything that is known of one person. */
export type UserRecord = {
  profile: Profile | undefined;
  memberships: Membership[];
  /** Tenant id by app client: the workspace in which the person works there. */
  activeTenants: Record<string, string>;
};

export interface UserStore {
  record(sub: string): Promise<UserRecord>;
  membership(sub: string, tenantId: string): Promise<Membership | undefined>;
  /** Writes the profile; of one that exists, only the e-mail address changes. */
  putProfile(profile: Profile): Promise<void>;
  /** The tenant becomes the person's workspace in the app client. False if the person is no active member of it. */
  chooseTenant(sub: string, clientId: string, tenantId: string): Promise<boolean>;
  /** Sets an invited membership active; one that is active or removed by now stays so. Gives what is there afterwards. */
  activate(membership: Membership): Promise<Membership>;
}

export interface ApprovalStore {
  /** Those whose profile says so. */
  pending(page: PageRequest): Promise<Page<Profile>>;
  /** Nothing is written if the person is not pending any more. */
  approve(sub: string, entry: AuditEntry): Promise<void>;
}

/** The membership once the person has come, or nothing to do: what is active stays so, and a removed one is never revived. */
export function activateMembership(membership: Membership, now: number): Membership | undefined {
  if (membership.status !== undefined || membership.invited_at === undefined) return undefined;
  return { ...membership, status: "active", activated_at: new Date(now).toISOString() };
}

/**
 * The one act of all sign-in triggers: afterwards the person has a profile and every invitation has become a membership.
 * Repeating it changes nothing. Who was invited counts as approved, who signed up alone is pending.
 */
export async function syncUserOnSignIn(
  users: UserStore,
  person: { sub: string; email: string },
  now: number,
): Promise<UserRecord> {
  const record = await users.record(person.sub);
  const profile = record.profile ?? newProfile(person, record, now);
  if (record.profile?.email !== person.email) await users.putProfile({ ...profile, email: person.email });
  const memberships = [];
  for (const membership of record.memberships) {
    const activated = activateMembership(membership, now);
    memberships.push(activated ? await users.activate(activated) : membership);
  }
  return { ...record, profile: { ...profile, email: person.email }, memberships };
}

function newProfile(person: { sub: string; email: string }, record: UserRecord, now: number): Profile {
  const invited = record.memberships.some((membership) => membership.invited_at !== undefined);
  return { ...person, approval_status: invited ? "approved" : "pending", created_at: new Date(now).toISOString() };
}
