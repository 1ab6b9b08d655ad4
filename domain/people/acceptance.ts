// Accepting an invitation: by the first sign-in if it is the only one (sign-in.ts), otherwise by a request of the person.
import { sameAddress } from "../kernel/mail.ts";
import { fieldRefusal, type Refusal } from "../kernel/refusal.ts";
import { joinEntry } from "./sign-in-entries.ts";
import type { Membership, SignedIn, UserStore } from "./user.ts";

/** Whether the membership is an invitation to an address that the person has proved to be theirs. */
export function acceptable(membership: Membership, { email, isVerified }: Pick<SignedIn, "email" | "isVerified">) {
  return isOpen(membership) && isVerified && sameAddress(membership.email, email);
}

/** The active membership that an accepted invitation becomes. */
export function accepted(invitation: Membership, now: number): Membership {
  return { ...invitation, status: "active", activated_at: new Date(now).toISOString() };
}

export type AcceptanceDependencies = {
  users: Pick<UserStore, "record" | "activate">;
  clock: () => number;
  newId: () => string;
};

/**
 * Accepts the invitation to the tenant. A repeat finds the person in it and changes nothing.
 * @throws Refusal not_found, or address_unproven if the invitation went to an address that is not the person's
 */
export async function acceptInvitation(
  { users, clock, newId }: AcceptanceDependencies,
  sub: string,
  tenantId: string,
): Promise<Membership> {
  const { profile, memberships } = await users.record(sub);
  const membership = memberships.find(({ tenant_id }) => tenant_id === tenantId);
  if (!membership || membership.status === "removed") throw noInvitation(tenantId);
  if (membership.status === "active") return membership;
  const { email = "", provider = "password", linked = [], email_verified: isVerified = false } = profile ?? {};
  if (!acceptable(membership, { email, isVerified })) {
    const message = "the invitation went to an address that your account has not proved to be yours";
    throw fieldRefusal("address_unproven", "id", message);
  }
  const now = clock();
  const entry = joinEntry(membership, { sub, email, provider, linked }, { id: newId(), now });
  const stored = await users.activate(accepted(membership, now), entry);
  if (stored.status !== "active") throw noInvitation(tenantId);
  return stored;
}

export function noInvitation(tenantId: string): Refusal {
  return fieldRefusal("not_found", "id", `you have no invitation to the workspace ${tenantId}`);
}

/** An invitation is a membership without a status. */
function isOpen({ status, invited_at }: Membership): boolean {
  return status === undefined && invited_at !== undefined;
}
