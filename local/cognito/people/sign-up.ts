// How someone comes into the pool: signing up and confirming, being invited by an administrator, getting a new password.
import { randomUUID } from "node:crypto";
import { AwsError } from "../../aws/service.ts";
import type { AppClient } from "../clients.ts";
import { mailCode, mailInvitation, takeCode } from "../mails.ts";
import type { Pool } from "../pool.ts";
import { emailIsUsername } from "../settings.ts";
import { type Attributes, checkAttributes } from "./attributes.ts";
import { checkPassword, hashPassword, temporaryPassword } from "./passwords.ts";
import type { User } from "./users.ts";

type Metadata = Record<string, string>;
type TriggerData = { validationData?: Metadata | undefined; clientMetadata?: Metadata | undefined };

const dayMs = 86_400_000;

/**
 * Signs someone up. Unless the trigger confirms them at once, a code is mailed.
 * @throws AwsError NotAuthorizedException, UsernameExistsException, InvalidPasswordException, InvalidParameterException.
 */
export async function signUp(
  pool: Pool,
  client: AppClient,
  wanted: { username: string; password: string; attributes: Attributes },
  data: TriggerData = {},
): Promise<User> {
  if (pool.settings.adminCreateUserConfig?.allowAdminCreateUserOnly) {
    throw new AwsError("NotAuthorizedException", "SignUp is not permitted for this user pool");
  }
  const { writeAttributes } = client.settings;
  const readOnly = writeAttributes && Object.keys(wanted.attributes).find((name) => !writeAttributes.includes(name));
  if (readOnly) throw notAuthorized("A client attempted to write unauthorized attribute");
  const named = nameUser(pool, wanted);
  checkPassword(pool.settings.passwordPolicy, wanted.password);
  const subject = { userName: named.username, attributes: named.attributes, clientId: client.id };
  const { confirm, verifyEmail } = await pool.triggers.preSignUp("SignUp", subject, data);
  const passwordHash = await hashPassword(wanted.password);
  const user = pool.users.create({
    ...named,
    status: confirm ? "CONFIRMED" : "UNCONFIRMED",
    attributes: { email_verified: "false", ...named.attributes, ...(verifyEmail && { email_verified: "true" }) },
    identities: [],
    createdByAdmin: false,
    passwordHash,
  });
  if (confirm) await pool.triggers.postConfirmation("ConfirmSignUp", user, client.id, data.clientMetadata);
  else if (mailsCodes(pool)) await mailCode(pool, user, "sign-up");
  return user;
}

/** Whether the pool proves addresses by mailing codes. */
export function mailsCodes(pool: Pool): boolean {
  return pool.settings.autoVerifiedAttributes.includes("email");
}

/**
 * Confirms with the mailed code. As in Cognito the account stays confirmed if the trigger then fails.
 * @throws AwsError CodeMismatchException, ExpiredCodeException, NotAuthorizedException, or the trigger's failure.
 */
export async function confirmSignUp(
  pool: Pool,
  client: AppClient,
  username: string,
  code: string,
  clientMetadata?: Metadata,
): Promise<void> {
  const user = userWithCode(pool, client, username);
  checkUnconfirmed(user);
  takeCode(pool, user, "sign-up", code);
  const confirmed = confirm(pool, user, { email_verified: "true" });
  await pool.triggers.postConfirmation("ConfirmSignUp", confirmed, client.id, clientMetadata);
}

/** Mails another code to who has not confirmed yet. A client that hides who has an account says the same of everybody. */
export async function resendCode(pool: Pool, client: AppClient, username: string): Promise<void> {
  const tells = client.settings.preventUserExistenceErrors === "LEGACY";
  const user = tells ? pool.users.get(username) : pool.users.find(username);
  if (user?.status === "UNCONFIRMED") await mailCode(pool, user, "sign-up");
  else if (tells) throw new AwsError("InvalidParameterException", "User is already confirmed.");
}

/** A client that hides who has an account says for an unknown user that the code is wrong. */
function userWithCode(pool: Pool, client: AppClient, username: string): User {
  const tells = client.settings.preventUserExistenceErrors === "LEGACY";
  const user = tells ? pool.users.get(username) : pool.users.find(username);
  if (user) return user;
  throw new AwsError("CodeMismatchException", "Invalid verification code provided, please try again.");
}

/** Confirms without a code. The address stays unverified. @throws AwsError as confirmSignUp. */
export async function adminConfirmSignUp(pool: Pool, username: string, clientMetadata?: Metadata): Promise<void> {
  const user = pool.users.get(username);
  checkUnconfirmed(user);
  const confirmed = confirm(pool, user, {});
  await pool.triggers.postConfirmation("ConfirmSignUp", confirmed, undefined, clientMetadata);
}

function checkUnconfirmed({ status }: User): void {
  if (status !== "UNCONFIRMED") throw notAuthorized(`User cannot be confirmed. Current status is ${status}`);
}

function confirm(pool: Pool, user: User, proven: Attributes): User {
  return pool.users.update(user.username, (current) => ({
    ...current,
    status: "CONFIRMED",
    attributes: { ...current.attributes, ...proven },
  }));
}

/**
 * Creates someone with a temporary password and mails the invitation, unless `mail` is false.
 * @throws AwsError UsernameExistsException, InvalidPasswordException, InvalidParameterException.
 */
export async function adminCreateUser(
  pool: Pool,
  wanted: { username: string; password?: string | undefined; attributes: Attributes; mail: boolean },
  data: TriggerData,
): Promise<User> {
  const named = nameUser(pool, wanted);
  const password = wanted.password ?? temporaryPassword(pool.settings.passwordPolicy);
  checkPassword(pool.settings.passwordPolicy, password);
  const subject = { userName: named.username, attributes: named.attributes };
  await pool.triggers.preSignUp("AdminCreateUser", subject, data);
  const temporary = await temporaryCredentials(pool, password);
  const user = pool.users.create({
    ...named,
    status: "FORCE_CHANGE_PASSWORD",
    identities: [],
    createdByAdmin: true,
    ...temporary,
  });
  if (wanted.mail) await mailInvitation(pool, user, password);
  return user;
}

/** Invites again, with a new temporary password. @throws AwsError UnsupportedUserStateException. */
export async function resendInvitation(pool: Pool, user: User, wanted: string | undefined): Promise<User> {
  if (user.status !== "FORCE_CHANGE_PASSWORD") {
    const message = `Resend not possible. ${user.username} status is not FORCE_CHANGE_PASSWORD`;
    throw new AwsError("UnsupportedUserStateException", message);
  }
  const password = wanted ?? temporaryPassword(pool.settings.passwordPolicy);
  checkPassword(pool.settings.passwordPolicy, password);
  const temporary = await temporaryCredentials(pool, password);
  const updated = pool.users.update(user.username, (current) => ({ ...current, ...temporary }));
  await mailInvitation(pool, updated, password);
  return updated;
}

/** @throws AwsError InvalidPasswordException, or InvalidParameterException for someone of an external provider. */
export async function setPassword(pool: Pool, user: User, password: string, permanent: boolean): Promise<void> {
  if (user.status === "EXTERNAL_PROVIDER") {
    throw new AwsError("InvalidParameterException", "Passwords of users of an external provider are not emulated.");
  }
  checkPassword(pool.settings.passwordPolicy, password);
  const credentials = permanent
    ? { passwordHash: await hashPassword(password), status: "CONFIRMED" as const }
    : { ...(await temporaryCredentials(pool, password)), status: "FORCE_CHANGE_PASSWORD" as const };
  pool.users.update(user.username, ({ passwordExpiresAt: _, ...current }) => ({ ...current, ...credentials }));
}

/**
 * Mails a code for a new password.
 * @throws AwsError NotAuthorizedException or InvalidParameterException if this person cannot get one.
 */
export async function forgotPassword(pool: Pool, user: User): Promise<void> {
  const mechanisms = pool.settings.accountRecoverySetting?.recoveryMechanisms ?? [];
  if (mechanisms.some(({ name }) => name === "admin_only")) {
    throw notAuthorized("Contact administrator to reset password.");
  }
  if (user.status !== "CONFIRMED") throw notAuthorized("User password cannot be reset in the current state.");
  if (user.attributes.email_verified !== "true") {
    const message = "Cannot reset password for the user as there is no registered/verified email or phone_number";
    throw new AwsError("InvalidParameterException", message);
  }
  await mailCode(pool, user, "password");
}

/** @throws AwsError CodeMismatchException, ExpiredCodeException, InvalidPasswordException, or the trigger's failure. */
export async function confirmForgotPassword(
  pool: Pool,
  client: AppClient,
  username: string,
  code: string,
  password: string,
): Promise<void> {
  const user = userWithCode(pool, client, username);
  checkPassword(pool.settings.passwordPolicy, password);
  takeCode(pool, user, "password", code);
  await setPassword(pool, user, password, true);
  await pool.triggers.postConfirmation("ConfirmForgotPassword", pool.users.get(user.username), client.id);
}

/** Where people sign in with their address, that is the username given, and the real one is their `sub`. */
function nameUser(pool: Pool, given: { username: string; attributes: Attributes }) {
  const sub = randomUUID();
  const byEmail = emailIsUsername(pool.settings);
  if (byEmail) checkAddress(given);
  const attributes = byEmail ? { ...given.attributes, email: given.username } : given.attributes;
  const username = byEmail ? sub : given.username;
  checkAttributes(pool.settings, attributes, "create");
  pool.users.checkFree(username, attributes.email);
  return { sub, username, attributes };
}

function checkAddress({ username, attributes }: { username: string; attributes: Attributes }): void {
  if (!username.includes("@")) throw new AwsError("InvalidParameterException", "Username should be an email.");
  if (attributes.email === undefined || attributes.email === username) return;
  throw new AwsError("InvalidParameterException", "The username and the attribute email differ.");
}

async function temporaryCredentials(pool: Pool, password: string) {
  const days = pool.settings.passwordPolicy.temporaryPasswordValidityDays;
  return { passwordHash: await hashPassword(password), passwordExpiresAt: pool.now() + days * dayMs };
}

function notAuthorized(message: string): AwsError {
  return new AwsError("NotAuthorizedException", message);
}
