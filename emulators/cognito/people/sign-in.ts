// Signing in with a password, the questions after it, codes for clients, and refreshing.
import { AwsError } from "../../aws/service.ts";
import type { Authentication } from "../authentications.ts";
import type { AppClient } from "../clients.ts";
import type { Pool } from "../pool.ts";
import { notAuthorized } from "../refusals.ts";
import { issueTokens, requestOverrides, type Tokens } from "../tokens.ts";
import { passwordMatches } from "./passwords.ts";
import { type ChallengeName, challengeMs, codeMs } from "./sign-in-state.ts";
import { setPassword } from "./sign-up.ts";
import { asksForCode, takeTotp } from "./software-token.ts";
import type { User } from "./users.ts";

/**
 * Finds the person who has this password. A stranger and a wrong password are refused alike.
 * @throws AwsError NotAuthorizedException, UserNotConfirmedException.
 */
export async function checkCredentials(pool: Pool, username: string, password: string): Promise<User> {
  const user = pool.users.find(username);
  const matches = await passwordMatches(password, user?.passwordHash);
  if (!user || !matches) throw notAuthorized("Incorrect username or password.");
  if (user.status === "UNCONFIRMED") throw new AwsError("UserNotConfirmedException", "User is not confirmed.");
  if (user.passwordExpiresAt !== undefined && user.passwordExpiresAt <= pool.now()) {
    throw notAuthorized("Temporary password has expired and must be reset by an administrator.");
  }
  return user;
}

/** Names what a sign-in still asks for after the password, if anything. */
export function nextChallenge(pool: Pool, user: User): ChallengeName | undefined {
  if (user.status === "FORCE_CHANGE_PASSWORD") return "NEW_PASSWORD_REQUIRED";
  return asksForCode(pool, user) ? "SOFTWARE_TOKEN_MFA" : undefined;
}

/** Poses a challenge, and gives the secret that must come with its answer. */
export function challenge(pool: Pool, client: AppClient, { username }: User, name: ChallengeName): string {
  const expiresAt = pool.now() + challengeMs;
  return pool.challenges.issue({ name, username, clientId: client.id, failures: 0 }, expiresAt);
}

function readChallenge(pool: Pool, client: AppClient, session: string | undefined, name: ChallengeName) {
  const entry = pool.challenges.read(session);
  if (entry?.value.clientId === client.id && entry.value.name === name) return entry;
  throw notAuthorized("Invalid session for the user, session is expired.");
}

/**
 * Sets the new password. A password that is refused leaves the challenge as it was.
 * @throws AwsError NotAuthorizedException if the challenge is unknown, over or another client's; InvalidPasswordException.
 */
export async function answerNewPassword(
  pool: Pool,
  client: AppClient,
  session: string | undefined,
  password: string,
): Promise<User> {
  const { value } = readChallenge(pool, client, session, "NEW_PASSWORD_REQUIRED");
  const user = pool.users.get(value.username);
  await setPassword(pool, user, password, true);
  pool.challenges.forget(session);
  return pool.users.get(user.username);
}

/** After this many wrong codes the sign-in must begin again. Cognito also locks the account for a time that doubles; that is not emulated. */
const maxFailures = 5;

/**
 * A wrong code leaves the challenge open for another one, until there were too many.
 * @throws AwsError NotAuthorizedException, CodeMismatchException, ExpiredCodeException.
 */
export function answerSoftwareToken(pool: Pool, client: AppClient, session: string | undefined, code: string): User {
  const entry = readChallenge(pool, client, session, "SOFTWARE_TOKEN_MFA");
  const user = pool.users.get(entry.value.username);
  try {
    takeTotp(pool, user, code);
  } catch (error) {
    const failures = entry.value.failures + 1;
    if (failures < maxFailures) pool.challenges.update(entry, { ...entry.value, failures });
    else pool.challenges.forget(session);
    throw error;
  }
  pool.challenges.forget(session);
  return user;
}

/** Makes a code for the client. Cognito asks the trigger here, before the redirect. @throws AwsError if the trigger refuses. */
export async function issueCode(
  pool: Pool,
  signIn: Pick<Authentication, "username" | "clientId" | "scopes" | "resource">,
  request: { redirectUri: string; host: string; codeChallenge?: string | undefined; nonce?: string | undefined },
): Promise<string> {
  const authentication = pool.authentications.create(signIn);
  const overrides = await requestOverrides(pool, "HostedAuth", authentication);
  const { redirectUri, host, codeChallenge, nonce } = request;
  const optional = { ...(codeChallenge && { codeChallenge }), ...(nonce && { nonce }) };
  return pool.codes.issue({ authentication, overrides, redirectUri, host, ...optional }, pool.now() + codeMs);
}

/** Makes new tokens for a refresh token, and its successor where the client rotates. @throws AwsError NotAuthorizedException. */
export async function refresh(
  pool: Pool,
  client: AppClient,
  token: string,
): Promise<{ tokens: Tokens; authentication: Authentication; refreshToken: string | undefined }> {
  const redeemed = pool.authentications.redeem(token, client);
  const { authentication } = redeemed;
  if (!pool.users.find(authentication.username)) throw notAuthorized("Invalid Refresh Token");
  try {
    const overrides = await requestOverrides(pool, "RefreshTokens", authentication);
    const tokens = await issueTokens(pool, authentication, client, overrides);
    return { tokens, authentication, refreshToken: pool.authentications.rotate(redeemed, client) };
  } catch (error) {
    pool.authentications.restore(redeemed);
    throw error;
  }
}
