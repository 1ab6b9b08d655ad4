// The dependencies of the user pool's triggers. lambda.ts creates the real ones.

import type { SignOutStore } from "../../domain/access/sign-out.ts";
import type { TokenFacts } from "../../domain/access/token-workspace.ts";
import type { Log } from "../../domain/kernel/log.ts";
import type { Mailer } from "../../domain/kernel/mail.ts";
import type { Platform } from "../../domain/mails/words.ts";
import type { SignIns } from "../../domain/people/accounts.ts";
import type { NativeAccounts } from "../../domain/people/first-sign-in.ts";
import type { UserStore } from "../../domain/people/user.ts";

export type TriggersDependencies = {
  users: UserStore;
  facts: TokenFacts;
  signOuts: Pick<SignOutStore, "put">;
  accounts: (userPoolId: string) => NativeAccounts & SignIns;
  /** Names of the external providers, as the pool declares them. */
  identityProviders: readonly string[];
  mailer: Mailer;
  /** The platform's name and console, for the words of mails. */
  platform: Platform;
  /** The prefix of the scopes of the platform's resource server. */
  scopePrefix: string;
  /** Verified e-mail addresses of the platform's administrators. */
  platformAdmins: string[];
  /** Verified e-mail addresses of the platform's support. */
  platformSupport: string[];
  /** `manual`: an administrator of the platform approves who signs up alone. */
  approval: "automatic" | "manual";
  /** Milliseconds since the epoch. */
  clock: () => number;
  /** A new UUID. */
  newId: () => string;
  log: Log;
};
