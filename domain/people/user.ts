// People: each has one profile, and one membership for each of their tenants, so a removal from one tenant does not touch another.
import * as z from "zod";
import { sameAddress } from "../kernel/mail.ts";
import { fieldRefusal, type Refusal } from "../kernel/refusal.ts";
import type { AuditEntry } from "../workspace/audit.ts";

export const tenantRoles = ["owner", "developer", "service_account"] as const;
export type TenantRole = (typeof tenantRoles)[number];

export const tenantRole = z
  .enum(tenantRoles)
  .meta({ id: "TenantRole", description: "Role of a person in a workspace" });

export const memberStatuses = ["active", "removed"] as const;

export const memberStatus = z
  .enum(memberStatuses, { error: () => `must be ${memberStatuses.join(" or ")}` })
  .meta({ id: "MemberStatus", description: "Whether a person is a member of a workspace" });

const approvalStatus = z
  .enum(["pending", "approved"])
  .meta({ id: "ApprovalStatus", description: "Whether a person may create workspaces" });

export const membershipSchema = z.object({
  sub: z.string(),
  tenant_id: z.uuid().describe("Id of the workspace"),
  tenant_role: tenantRole.describe("Role of the person in the workspace"),
  status: memberStatus
    .optional()
    .describe("Status of the membership. Missing for an invitation that was not accepted yet"),
  created_at: z.iso.datetime().describe("When the person was invited, or created the workspace"),
  invited_at: z.iso
    .datetime()
    .optional()
    .describe("When the person was invited. Missing for the person who created the workspace"),
  activated_at: z.iso.datetime().optional().describe("When the person joined the workspace"),
  removed_at: z.iso.datetime().optional().describe("When the person was removed, left, or let the invitation expire"),
  invited_by: z
    .string()
    .optional()
    .describe("E-mail address of the owner who invited the person, at the time of the invitation"),
  /** Address of the invitation, in lower case. */
  email: z.string().optional(),
  /** When the last mail of the invitation was sent, or was about to be sent. */
  mailed_at: z.iso.datetime().optional(),
  /** Id of the request that created the invitation. A retry of that request recognises it. */
  invitation_id: z.string().optional(),
  /** True if an invitation of this workspace's owner made the person's account: it goes with the workspace. */
  made_account: z.literal(true).optional(),
  /** True if a mail of this invitation has the temporary password of the person's account. */
  password_mailed: z.literal(true).optional(),
});

export type Membership = z.infer<typeof membershipSchema>;

export const profileSchema = z.object({
  sub: z.string(),
  email: z.string().describe("E-mail address with which the person signs in"),
  approval_status: approvalStatus.describe(
    "Whether the person may create workspaces. `pending`: the person waits for a platform administrator",
  ),
  provider: z.string().describe("How the person signs in: `password`, or the name of an external identity provider"),
  email_verified: z
    .boolean()
    .describe("Whether the person, or their identity provider, has proved that the address is theirs"),
  linked: z
    .array(z.string())
    .optional()
    .describe("External identity providers that may sign in to an account with a password, sorted by name"),
  created_at: z.iso.datetime().describe("When the person first signed in"),
});

export type Profile = z.infer<typeof profileSchema>;

/** All records of one person. */
export type UserRecord = {
  profile: Profile | undefined;
  memberships: Membership[];
  /** Id of the tenant in which the person works, by app client. */
  activeTenants: Record<string, string>;
};

export interface UserStore {
  record(sub: string): Promise<UserRecord>;
  /** Profiles with the address, proved or not. */
  withAddress(email: string): Promise<Profile[]>;
  membership(sub: string, tenantId: string): Promise<Membership | undefined>;
  /** Addresses of those who have a profile, by sub. No sub may be named twice. */
  emails(subs: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /**
   * Writes the profile. An existing one keeps its time of creation, and stays approved.
   * @param told what the audit trail has of the change, unless the profile is not as `before` any more
   */
  putProfile(profile: Profile, told?: { before: Profile | undefined; entries: AuditEntry[] }): Promise<void>;
  /**
   * Makes the tenant the person's workspace in the app client, and writes the entry unless it was. Returns false if the person is no
   * active member of it.
   */
  chooseTenant(sub: string, clientId: string, tenantId: string, entry: AuditEntry): Promise<boolean>;
  /** Sets an invited membership active. A membership that is active or removed by now stays so. Returns the stored one. */
  activate(membership: Membership, entry: AuditEntry): Promise<Membership>;
}

/** The person who signs in, as the trigger knows them. */
export type SignedIn = {
  sub: string;
  email: string;
  /** Whether the person has proved that the address is theirs. */
  isVerified: boolean;
  /** `password`, or the external provider of an account that has none. */
  provider: string;
  /** External providers that may sign in to an account with a password, in the order of their names. */
  linked: readonly string[];
  /** False where an administrator of the platform must approve a person who was not invited. */
  isApproved: boolean;
};

export function noSuchPerson(sub: string): Refusal {
  return fieldRefusal("not_found", "user_id", `there is nobody ${sub} in this workspace`);
}

export const otherAccountSchema = z
  .object({
    provider: z
      .string()
      .describe("How to sign in to the other account: `password`, or the name of an external identity provider"),
  })
  .meta({
    id: "OtherAccount",
    description: "Another account with the caller's e-mail address. It has its own workspaces",
  });

/**
 * Finds other accounts of one person. Somebody who came by a provider and later signs up with a password is two people here, whose accounts
 * cannot be joined (decision 27), so the platform tells them, if both accounts have proved the address. Several accounts of one provider
 * are one entry.
 */
export async function otherAccounts(
  people: Pick<UserStore, "withAddress">,
  { sub, email }: Pick<Profile, "sub" | "email">,
): Promise<z.infer<typeof otherAccountSchema>[]> {
  const others = (await people.withAddress(email)).filter(
    (one) => one.sub !== sub && one.email_verified === true && sameAddress(one.email, email),
  );
  const providers = new Set(others.map(({ provider }) => provider));
  return [...providers].toSorted().map((provider) => ({ provider }));
}
