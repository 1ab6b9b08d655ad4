// AWS runs this as the triggers of the user pool, with the table and the accounts.
import { randomUUID } from "node:crypto";
import { signOutStore } from "../../adapters/dynamodb/access/sign-outs.ts";
import { tokenFacts } from "../../adapters/dynamodb/access/token-facts.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { userStore } from "../../adapters/dynamodb/people/users.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { mailer, sesClient } from "../../adapters/mail.ts";
import { poolAccounts } from "../../adapters/user-pool/native-accounts.ts";
import { platformOf, readEnv } from "../contract.ts";
import { triggers } from "./contract.ts";
import { triggersHandler } from "./handler.ts";

const env = readEnv(triggers);
// Cognito gives a trigger 5 s in all.
const rows = rowsOf(documentClient({ maxAttempts: 2, requestTimeoutMs: 1_000 }), env.TABLE_NAME);

/** A mail that takes longer may be lost; the sign-in goes on. */
const mailTimeoutMs = 1_000;

export const handler = triggersHandler({
  users: userStore(rows),
  facts: tokenFacts(rows),
  signOuts: signOutStore(rows),
  accounts: poolAccounts(),
  identityProviders: env.IDENTITY_PROVIDERS,
  mailer: mailer(env, sesClient(mailTimeoutMs)),
  platform: platformOf(env),
  scopePrefix: env.SCOPE_PREFIX,
  platformAdmins: env.PLATFORM_ADMINS,
  platformSupport: env.PLATFORM_SUPPORT,
  approval: env.APPROVAL,
  clock: Date.now,
  newId: randomUUID,
  log: powertoolsLog("triggers"),
});
