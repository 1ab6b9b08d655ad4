// Other accounts of one person. Who came by a provider and then signs up with a password is two people here, and accounts that exist cannot
// be joined (decision 27), so the platform tells it: to nobody but who has proved the address, as the other account has.
import * as z from "zod";
import { sameAddress } from "../kernel/mail.ts";
import type { Profile } from "./user.ts";

export const otherAccountSchema = z
  .object({ provider: z.string().describe("What signs in to it: `password`, or the name of an external provider") })
  .meta({
    id: "OtherAccount",
    description: "Another account with the caller's address, and with workspaces of its own",
  });

export type OtherAccount = z.infer<typeof otherAccountSchema>;

export interface PeopleByAddress {
  /** Profiles with the address, proved or not. */
  withAddress(email: string): Promise<Profile[]>;
}

/** Those who sign in with the same provider are one entry. */
export async function otherAccounts(
  people: PeopleByAddress,
  { sub, email }: Pick<Profile, "sub" | "email">,
): Promise<OtherAccount[]> {
  const others = (await people.withAddress(email)).filter(
    (one) => one.sub !== sub && one.email_verified === true && sameAddress(one.email, email),
  );
  const providers = new Set(others.flatMap(({ provider }) => provider ?? []));
  return [...providers].toSorted().map((provider) => ({ provider }));
}
