// A person signs in: their profile and their invitations are brought up to date, and the audit trail tells it.
import { isDeepStrictEqual } from "node:util";
import pMap from "p-map";
import { sameAddress } from "../kernel/mail.ts";
import { joinEntry, profileEntries } from "./sign-in-entries.ts";
import type { Membership, Profile, SignedIn, UserRecord, UserStore } from "./user.ts";

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
  newId: () => string,
): Promise<UserRecord & { profile: Profile; beginsToWait: boolean }> {
  const { sub, email, provider, isVerified, linked, isApproved } = person;
  const stamp = () => ({ id: newId(), now });
  const record = await users.record(sub);
  let left = mostActivated;
  const accept = async (before: Membership) => {
    const activated = left > 0 && activateMembership(before, person, now);
    if (!activated) return before;
    left -= 1;
    return users.activate(activated, joinEntry(activated, person, stamp()));
  };
  const memberships = await pMap(record.memberships, accept, { concurrency, stopOnError: false });
  // An invitation may have been withdrawn at the same moment: whether the person joined a workspace is known only from here on.
  const known = record.profile ?? newProfile({ sub, email }, memberships.some(isJoined), now);
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

/** An invitation that was withdrawn before it was accepted approves nobody, and neither does one to another address. */
function newProfile(person: { sub: string; email: string }, isInvited: boolean, now: number): Profile {
  return { ...person, approval_status: isInvited ? "approved" : "pending", created_at: new Date(now).toISOString() };
}
