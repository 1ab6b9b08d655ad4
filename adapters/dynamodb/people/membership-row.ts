// The row of a membership as it is read. A removal is told by `removed_at`, which a sign-in may not write (`signInAttributes`), and not by `status`
// alone: so the function of the sign-in cannot make a removed person a member again.
import type { Membership } from "../../../domain/people/user.ts";
import { recordOf } from "../client.ts";

export function membershipOf(item: Record<string, unknown>): Membership;
export function membershipOf(item: Record<string, unknown> | undefined): Membership | undefined;
export function membershipOf(item: Record<string, unknown> | undefined): Membership | undefined {
  const membership = recordOf<Membership>(item);
  return membership?.removed_at === undefined ? membership : { ...membership, status: "removed" };
}
