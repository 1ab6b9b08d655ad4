// Ends sign-ups that nobody confirmed: whoever typed an address does not keep it from its owner for longer than a day.

import type { Log } from "../kernel/log.ts";
import { hourMs } from "../kernel/period.ts";
import type { UnconfirmedAccounts } from "./accounts.ts";

/** An hourly run removes sign-ups that are older, so that an address is free again within a day. Cognito's code for confirming is good for 24 hours. */
export const signUpHours = 23;

export type SignUpExpiryDependencies = { accounts: UnconfirmedAccounts; log: Log; clock: () => number };

/** Another code for the same sign-up does not prolong it: otherwise it could go on for ever. */
export async function expireSignUps({ accounts, log, clock }: SignUpExpiryDependencies): Promise<void> {
  let after: string | undefined;
  do {
    const page = await accounts.listUnconfirmed(after);
    for (const { sub, createdAt } of page.accounts) {
      if (clock() - createdAt < signUpHours * hourMs) continue;
      if (await accounts.removeUnconfirmed(sub)) log.info("A sign-up that nobody confirmed was removed", { sub });
    }
    after = page.next;
  } while (after !== undefined);
}
