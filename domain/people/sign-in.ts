// A person signs in: their profile and their invitation are brought up to date, and the audit trail tells it.
import { isDeepStrictEqual } from "node:util";
import { acceptable, accepted } from "./acceptance.ts";
import { joinEntry, profileEntries } from "./sign-in-entries.ts";
import type { Membership, Profile, SignedIn, UserRecord, UserStore } from "./user.ts";

/**
 * The invitation that a sign-in accepts: of a person who was never here before the only one. Of several invitations each may be a
 * stranger's, and whose mail the person has followed cannot be known, so the person is asked. Undefined if there is none.
 */
function acceptedBySignIn({ profile, memberships }: UserRecord, person: SignedIn): Membership | undefined {
  const [only, ...others] = memberships;
  return only && !profile && others.length === 0 && acceptable(only, person) ? only : undefined;
}

/**
 * All sign-in triggers run this: afterwards the person has a profile, and whoever was invited once and comes for the first time is an
 * active member. Repeating it changes nothing. A person who signed up alone is pending where somebody must approve them.
 * @returns the record, and whether the person waits for approval from now on
 */
export async function syncUserOnSignIn(
  users: UserStore,
  person: SignedIn,
  now: number,
  newId: () => string,
): Promise<UserRecord & { profile: Profile; beginsToWait: boolean }> {
  const { sub, email, provider, isVerified, linked, isApproved } = person;
  const stamp = () => ({ id: newId(), now });
  const record = await users.record(sub);
  const invitation = acceptedBySignIn(record, person);
  // An invitation may have been withdrawn at the same moment: whether the person joined the workspace is known only from here on.
  const memberships = invitation
    ? [await users.activate(accepted(invitation, now), joinEntry(invitation, person, stamp()))]
    : record.memberships;
  const isInvited = memberships.some((membership) => isJoined(membership) || acceptable(membership, person));
  const known = record.profile ?? newProfile(person, isInvited, now);
  const approval = isApproved ? "approved" : known.approval_status;
  const { linked: linkedBefore = [], ...rest } = known;
  const links = linked.length > 0 || linkedBefore.length > 0 ? { linked: [...linked] } : {};
  const proved = { email, provider, email_verified: isVerified, ...links };
  const profile: Profile = { ...rest, ...proved, approval_status: approval };
  if (!isDeepStrictEqual(profile, record.profile)) {
    const joined = memberships.filter(({ status }) => status === "active").map(({ tenant_id }) => tenant_id);
    const entries = profileEntries(record.profile, profile, joined, stamp);
    await users.putProfile(profile, { before: record.profile, entries });
  }
  const beginsToWait = record.profile === undefined && approval === "pending";
  return { ...record, profile, memberships, beginsToWait };
}

function isJoined({ invited_at, status }: Membership): boolean {
  return invited_at !== undefined && status === "active";
}

/** An invitation that was withdrawn approves nobody, and neither does one to an address that the person has not proved. */
function newProfile({ sub, email, provider, isVerified }: SignedIn, isInvited: boolean, now: number): Profile {
  return {
    ...{ sub, email, provider, email_verified: isVerified },
    approval_status: isInvited ? "approved" : "pending",
    created_at: new Date(now).toISOString(),
  };
}
