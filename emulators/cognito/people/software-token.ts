// A person's authenticator app: how it is set up, and when a sign-in asks for its code. The rules are those of
// docs.aws.amazon.com/cognito/latest/developerguide/user-pool-settings-mfa.html and its page on TOTP.
import { AwsError } from "../../aws/service.ts";
import type { Pool } from "../pool.ts";
import { invalidParameter } from "../refusals.ts";
import { newTotpSecret, stepOfCode } from "./totp.ts";
import type { SoftwareToken, User } from "./users.ts";

/** Cognito's name of this factor. */
const softwareTokenMfa = "SOFTWARE_TOKEN_MFA";

/** Gives the secret for a new app. An app that was set up before stays until the new one is verified. */
export function associate(pool: Pool, user: User): string {
  checkOffered(pool);
  const pending = newTotpSecret();
  change(pool, user, (token) => ({ ...token, pending }));
  return pending;
}

/** @throws AwsError EnableSoftwareTokenMFAException if the code is not one of the new app. */
export function verify(pool: Pool, user: User, code: string): void {
  checkOffered(pool);
  const secret = user.softwareToken?.pending;
  const usedStep = secret && stepOfCode(secret, code, pool.now());
  if (!secret || !usedStep) throw new AwsError("EnableSoftwareTokenMFAException", "Code mismatch");
  change(pool, user, ({ enabled }) => ({ enabled, secret, usedStep }));
}

/** @throws AwsError InvalidParameterException if the person has no verified app. */
export function setPreference(pool: Pool, user: User, enabled: boolean): void {
  if (enabled && !user.softwareToken?.secret) {
    const message = `User does not have delivery config set to turn on ${softwareTokenMfa}`;
    throw invalidParameter(message);
  }
  change(pool, user, (token) => ({ ...token, enabled }));
}

/** Whether a sign-in with a password asks for a code. In a pool with optional MFA that is up to each person. */
export function asksForCode({ settings }: Pool, user: User): boolean {
  return settings.mfaConfiguration === "OPTIONAL" && hasMfa(user);
}

function hasMfa({ softwareToken }: User): boolean {
  return softwareToken?.enabled === true && softwareToken.secret !== undefined;
}

/** @throws AwsError CodeMismatchException, or ExpiredCodeException for a code that was already used. */
export function takeTotp(pool: Pool, user: User, code: string): void {
  const { secret = "", usedStep = 0 } = user.softwareToken ?? {};
  const step = stepOfCode(secret, code.replaceAll(" ", ""), pool.now());
  if (step === undefined) throw new AwsError("CodeMismatchException", "Invalid code received for user");
  if (step <= usedStep) {
    throw new AwsError("ExpiredCodeException", "Your software token has already been used once.");
  }
  change(pool, user, (token) => ({ ...token, usedStep: step }));
}

/** The second factor in the members of the calls that show a person. */
export function mfaSettings(user: User) {
  return hasMfa(user) ? { UserMFASettingList: [softwareTokenMfa], PreferredMfaSetting: softwareTokenMfa } : {};
}

function checkOffered({ settings }: Pool): void {
  if (settings.softwareTokenMfaConfiguration?.enabled) return;
  const message = "Software Token MFA has not been enabled by the userPool";
  throw new AwsError("SoftwareTokenMFANotFoundException", message);
}

function change(pool: Pool, user: User, next: (token: SoftwareToken) => SoftwareToken): void {
  pool.users.update(user.username, (current) => ({
    ...current,
    softwareToken: next(current.softwareToken ?? { enabled: false }),
  }));
}
