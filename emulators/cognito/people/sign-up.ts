// A person comes into the pool by signing up and confirming, or by an invitation. A forgotten password is replaced here too.
import { randomUUID } from "node:crypto";
import { AwsError } from "../../aws/service.ts";
import type { AppClient } from "../clients.ts";
import { mailCode, mailInvitation, takeCode } from "../mails.ts";
import type { Pool } from "../pool.ts";
import { invalidParameter, notAuthorized } from "../refusals.ts";
import type { ClientMetadata } from "../triggers.ts";
import { type Attributes, checkAttributes } from "./attributes.ts";
import { checkPassword, hashPassword, temporaryPassword } from "./passwords.ts";
import type { User } from "./users.ts";

const dayMs = 86_400_000;

/**
 * Signs someone up with an e-mail address. Unless the trigger confirms them at once, a code is mailed.
 * @throws AwsError UsernameExistsException, InvalidPasswordException, InvalidParameterException.
 */
export async function signUp(
  pool: Pool,
  client: AppClient,
  wanted: { username: string; password: string },
): Promise<User> {
  const named = nameUser(pool, { username: wanted.username, attributes: {} });
  checkPassword(pool.settings.passwordPolicy, wanted.password);
  const subject = { userName: named.username, attributes: named.attributes, clientId: client.id };
  const { confirm, verifyEmail } = await pool.triggers.preSignUp("SignUp", subject);
  const user = pool.users.create({
    ...named,
    status: confirm ? "CONFIRMED" : "UNCONFIRMED",
    attributes: { ...named.attributes, email_verified: String(verifyEmail) },
    identities: [],
    createdByAdmin: false,
    passwordHash: await hashPassword(wanted.password),
  });
  if (confirm) await pool.triggers.postConfirmation("ConfirmSignUp", user, client.id);
  else await mailCode(pool, user, "SignUp", client.id);
  return user;
}

/**
 * Confirms with the mailed code. As in Cognito the account stays confirmed if the trigger then fails.
 * @throws AwsError CodeMismatchException, ExpiredCodeException, NotAuthorizedException, or the trigger's failure.
 */
export async function confirmSignUp(pool: Pool, client: AppClient, username: string, code: string): Promise<void> {
  const user = userWithCode(pool, username);
  if (user.status !== "UNCONFIRMED") throw notAuthorized(`User cannot be confirmed. Current status is ${user.status}`);
  takeCode(pool, user, "sign-up", code);
  const confirmed = pool.users.update(user.username, (current) => ({
    ...current,
    status: "CONFIRMED",
    attributes: { ...current.attributes, email_verified: "true" },
  }));
  await pool.triggers.postConfirmation("ConfirmSignUp", confirmed, client.id);
}

/** Mails another code to someone who has not confirmed yet. Nobody learns here who has an account. */
export async function resendCode(pool: Pool, client: AppClient, username: string): Promise<void> {
  const user = pool.users.find(username);
  if (user?.status === "UNCONFIRMED") await mailCode(pool, user, "ResendCode", client.id);
}

/** For a stranger the code is wrong, so that nobody learns here who has an account. */
function userWithCode(pool: Pool, username: string): User {
  const user = pool.users.find(username);
  if (user) return user;
  throw new AwsError("CodeMismatchException", "Invalid verification code provided, please try again.");
}

/**
 * Creates someone with a temporary password and mails the invitation, unless `mail` is false.
 * @throws AwsError UsernameExistsException, InvalidPasswordException, InvalidParameterException.
 */
export async function adminCreateUser(
  pool: Pool,
  wanted: {
    username: string;
    password?: string | undefined;
    attributes: Attributes;
    mail: boolean;
    metadata?: ClientMetadata | undefined;
  },
): Promise<User> {
  const named = nameUser(pool, wanted);
  const password = wanted.password ?? temporaryPassword(pool.settings.passwordPolicy);
  checkPassword(pool.settings.passwordPolicy, password);
  const subject = { userName: named.username, attributes: named.attributes, metadata: wanted.metadata };
  await pool.triggers.preSignUp("AdminCreateUser", subject);
  const temporary = await temporaryCredentials(pool, password);
  const user = pool.users.create({
    ...named,
    status: "FORCE_CHANGE_PASSWORD",
    identities: [],
    createdByAdmin: true,
    ...temporary,
  });
  if (wanted.mail) await mailInvitation(pool, user, password, wanted.metadata);
  return user;
}

/** Invites again, with a new temporary password. @throws AwsError UnsupportedUserStateException. */
export async function resendInvitation(
  pool: Pool,
  user: User,
  wanted: string | undefined,
  metadata?: ClientMetadata,
): Promise<User> {
  if (user.status !== "FORCE_CHANGE_PASSWORD") {
    const message = `Resend not possible. ${user.username} status is not FORCE_CHANGE_PASSWORD`;
    throw new AwsError("UnsupportedUserStateException", message);
  }
  const password = wanted ?? temporaryPassword(pool.settings.passwordPolicy);
  checkPassword(pool.settings.passwordPolicy, password);
  const temporary = await temporaryCredentials(pool, password);
  const updated = pool.users.update(user.username, (current) => ({ ...current, ...temporary }));
  await mailInvitation(pool, updated, password, metadata);
  return updated;
}

/** @throws AwsError InvalidPasswordException, or InvalidParameterException for someone of an external provider. */
export async function setPassword(pool: Pool, user: User, password: string, permanent: boolean): Promise<void> {
  if (user.status === "EXTERNAL_PROVIDER") {
    throw invalidParameter("Passwords of users of an external provider are not emulated.");
  }
  checkPassword(pool.settings.passwordPolicy, password);
  const credentials = permanent
    ? { passwordHash: await hashPassword(password), status: "CONFIRMED" as const }
    : { ...(await temporaryCredentials(pool, password)), status: "FORCE_CHANGE_PASSWORD" as const };
  pool.users.update(user.username, ({ passwordExpiresAt: _, ...current }) => ({ ...current, ...credentials }));
}

/**
 * Mails a code for a new password to someone with a verified address. For everybody else nothing happens, and nobody learns
 * here who has an account (docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pool-managing-errors.html).
 * @throws AwsError NotAuthorizedException if the account is not confirmed or its first password is still temporary.
 */
export async function forgotPassword(pool: Pool, client: AppClient, username: string): Promise<void> {
  const user = pool.users.find(username);
  if (user?.attributes.email_verified !== "true") return;
  if (user.status !== "CONFIRMED") throw notAuthorized("User password cannot be reset in the current state.");
  await mailCode(pool, user, "ForgotPassword", client.id);
}

/** @throws AwsError CodeMismatchException, ExpiredCodeException, InvalidPasswordException, or the trigger's failure. */
export async function confirmForgotPassword(
  pool: Pool,
  client: AppClient,
  username: string,
  code: string,
  password: string,
): Promise<void> {
  const user = userWithCode(pool, username);
  checkPassword(pool.settings.passwordPolicy, password);
  takeCode(pool, user, "password", code);
  await setPassword(pool, user, password, true);
  await pool.triggers.postConfirmation("ConfirmForgotPassword", pool.users.get(user.username), client.id);
}

/** People sign in with their address, which a call gives as the username. The stored username is their `sub`. */
function nameUser(pool: Pool, { username: email, attributes: given }: { username: string; attributes: Attributes }) {
  if (!email.includes("@")) throw invalidParameter("Username should be an email.");
  if (given.email !== undefined && given.email !== email) {
    throw invalidParameter("The username and the attribute email differ.");
  }
  const attributes = { ...given, email };
  checkAttributes(pool.settings, attributes);
  pool.users.checkAddressFree(email);
  const sub = randomUUID();
  return { sub, username: sub, attributes };
}

async function temporaryCredentials(pool: Pool, password: string) {
  const days = pool.settings.passwordPolicy.temporaryPasswordValidityDays;
  return { passwordHash: await hashPassword(password), passwordExpiresAt: pool.now() + days * dayMs };
}
