// People: each has one profile, and one membership for each of their tenants, so a removal from one tenant does not touch another.
import { isDeepStrictEqual } from "node:util";
import pMap from "p-map";
import * as z from "zod";
import { sameAddress } from "../kernel/mail.ts";
import { fieldRefusal, type Refusal } from "../kernel/refusal.ts";

export const tenantRoles = ["owner", "developer", "service_account"] as const;
export type TenantRole = (typeof tenantRoles)[number];

export const tenantRole = z.enum(tenantRoles).meta({ id: "TenantRole", description: "A role in a workspace" });

export const platformRoles = ["platform_admin"] as const;
export type PlatformRole = (typeof platformRoles)[number];

export const memberStatuses = ["active", "removed"] as const;

export const memberStatus = z
  .enum(memberStatuses, { error: () => `must be ${memberStatuses.join(" or ")}` })
  .meta({ id: "MemberStatus", description: "Whether a person belongs to a workspace" });

const approvalStatus = z
  .enum(["pending", "approved"])
  .meta({ id: "ApprovalStatus", description: "Whether a person may create workspaces" });

export const membershipSchema = z.object({
  sub: z.string(),
  tenant_id: z.uuid().describe("The workspace"),
  tenant_role: tenantRole.describe("The person's role in the workspace"),
  status: memberStatus.optional().describe("Missing while the person is invited and has not signed in yet"),
  created_at: z.iso.datetime().describe("When the person was invited, or created the workspace"),
  invited_at: z.iso
    .datetime()
    .optional()
    .describe("When the person was invited; missing for who created the workspace"),
  activated_at: z.iso.datetime().optional().describe("When the person joined"),
  removed_at: z.iso.datetime().optional().describe("When the person was removed, left, or the invitation expired"),
  /** Address of the invitation, in lower case. */
  email: z.string().optional(),
  /** When the last mail of the invitation was sent, or was about to be sent. */
  mailed_at: z.iso.datetime().optional(),
  /** Id of the request that created the invitation. A retry of that request recognises it. */
  invitation_id: z.string().optional(),
  /** True if an invitation of this workspace's owner made the person's account: it goes with the workspace. */
  made_account: z.literal(true).optional(),
});

export type Membership = z.infer<typeof membershipSchema>;

export const profileSchema = z.object({
  sub: z.string(),
  email: z.string().describe("The address with which the person signs in"),
  approval_status: approvalStatus.describe("`pending`: waits for an administrator of the platform"),
  provider: z
    .string()
    .optional()
    .describe(
      "`password`, or the name of the external provider whose account it is. Missing until the next sign-in in a profile of before",
    ),
  email_verified: z
    .boolean()
    .optional()
    .describe("Whether the person, or their provider, has proved that the address is theirs. Missing likewise"),
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
  membership(sub: string, tenantId: string): Promise<Membership | undefined>;
  /** Writes the profile. An existing one keeps its time of creation, and stays approved. */
  putProfile(profile: Profile): Promise<void>;
  /** Makes the tenant the person's workspace in the app client. Returns false if the person is no active member of it. */
  chooseTenant(sub: string, clientId: string, tenantId: string): Promise<boolean>;
  /** Sets an invited membership active. A membership that is active or removed by now stays so. Returns the stored one. */
  activate(membership: Membership): Promise<Membership>;
}

/**
 * The active membership of an invited person who signs in; undefined for a membership that stays as it is: active, removed, or invited by
 * an address that the person has not proved to be theirs.
 */
export function activateMembership(
  membership: Membership,
  { email, isVerified }: Pick<SignedIn, "email" | "isVerified">,
  now: number,
): Membership | undefined {
  const { status, invited_at, email: invited } = membership;
  if (status !== undefined || invited_at === undefined) return undefined;
  if (!isVerified || !sameAddress(invited, email)) return undefined;
  return { ...membership, status: "active", activated_at: new Date(now).toISOString() };
}

/** The person who signs in, as the trigger knows them. */
export type SignedIn = {
  sub: string;
  email: string;
  /** Whether the person has proved that the address is theirs. */
  isVerified: boolean;
  /** `password`, or the external provider of an account that has none. */
  provider: string;
  /** False where an administrator of the platform must approve a person who was not invited. */
  isApproved: boolean;
};

/** A sign-in has five seconds, whoever invited the person how often: the next token takes the rest. */
const mostActivated = 100;
const concurrency = 20;

/**
 * All sign-in triggers run this: afterwards the person has a profile, and every invitation to their address is an active membership.
 * Repeating it changes nothing. A person who signed up alone is pending where somebody must approve them.
 * @returns the record, and whether the person waits for approval from now on
 */
export async function syncUserOnSignIn(
  users: UserStore,
  person: SignedIn,
  now: number,
): Promise<UserRecord & { profile: Profile; beginsToWait: boolean }> {
  const { sub, email, provider, isVerified, isApproved } = person;
  const record = await users.record(sub);
  let left = mostActivated;
  const accept = async (before: Membership) => {
    const activated = left > 0 && activateMembership(before, person, now);
    if (!activated) return before;
    left -= 1;
    return users.activate(activated);
  };
  const memberships = await pMap(record.memberships, accept, { concurrency, stopOnError: false });
  // Only now it is known whether an invitation was withdrawn at the same moment.
  const known = record.profile ?? newProfile({ sub, email }, memberships.some(isJoined), now);
  const approval = isApproved ? "approved" : known.approval_status;
  const profile: Profile = { ...known, email, provider, email_verified: isVerified, approval_status: approval };
  if (!isDeepStrictEqual(profile, record.profile)) await users.putProfile(profile);
  const beginsToWait = record.profile === undefined && approval === "pending";
  return { ...record, profile, memberships, beginsToWait };
}

function isJoined({ invited_at, status }: Membership): boolean {
  return invited_at !== undefined && status === "active";
}

/** An invitation that was withdrawn before it was accepted approves nobody, and neither does one to another address. */
function newProfile(person: { sub: string; email: string }, isInvited: boolean, now: number): Profile {
  return { ...person, approval_status: isInvited ? "approved" : "pending", created_at: new Date(now).toISOString() };
}

export function noSuchPerson(sub: string): Refusal {
  return fieldRefusal("not_found", "user_id", `there is nobody ${sub} in this workspace`);
}
