// Signing in with an external provider. The first time makes a profile, unless the identity is linked to someone.
import { randomUUID } from "node:crypto";
import { AwsError } from "../../aws/service.ts";
import { type Assertion, type ExternalProvider, mappedAttributes, subjectOf } from "../external-providers.ts";
import type { Pool } from "../pool.ts";
import { invalidParameter } from "../refusals.ts";
import { foldCase, type Identity, type User } from "./users.ts";

/**
 * Finds or makes the person that the assertion is about. The mapped attributes are taken over at every sign-in, as Cognito does.
 * @throws AwsError of a trigger, or AliasExistsException where the trigger has just linked the identity: the first
 *   sign-in then fails and the next one works.
 */
export async function signInExternally(
  pool: Pool,
  provider: ExternalProvider,
  assertion: Assertion,
  clientId: string,
): Promise<User> {
  const userId = subjectOf(provider, assertion);
  const attributes = mappedAttributes(provider, assertion);
  const known = pool.users.withIdentity(provider.name, userId);
  if (!known) return firstSignIn(pool, provider, userId, attributes, clientId);
  return pool.users.update(known.username, (user) => ({ ...user, attributes: { ...user.attributes, ...attributes } }));
}

async function firstSignIn(
  pool: Pool,
  provider: ExternalProvider,
  userId: string,
  attributes: Record<string, string>,
  clientId: string,
): Promise<User> {
  const username = foldCase(`${provider.name}_${userId}`);
  if (pool.users.withIdentityInAnyCase(provider.name, userId)) {
    // A link to a subject in another case leads here (stackoverflow.com/questions/68017906).
    throw invalidParameter("Invalid ProviderName/Username combination. Please check again");
  }
  // The event has aliases without a value, as people print it; AWS's page shows no event of this source
  // (docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-sign-up.html).
  const { verifyEmail } = await pool.triggers.preSignUp("ExternalProvider", {
    userName: username,
    attributes: { "cognito:email_alias": "", "cognito:phone_number_alias": "", ...attributes },
    clientId,
  });
  if (pool.users.withIdentityInAnyCase(provider.name, userId)) {
    throw new AwsError("AliasExistsException", `Already found an entry for username ${username}`);
  }
  const user = pool.users.create({
    username,
    sub: randomUUID(),
    status: "EXTERNAL_PROVIDER",
    attributes: { ...attributes, ...(verifyEmail && { email_verified: "true" }) },
    identities: [identity(provider, userId, pool.now())],
    createdByAdmin: false,
  });
  await pool.triggers.postConfirmation("ConfirmSignUp", user, clientId);
  return user;
}

/** Lets an external identity sign in as `user`. @throws AwsError InvalidParameterException if it is someone's already. */
export function linkIdentity(pool: Pool, user: User, provider: ExternalProvider, userId: string): void {
  const owner = pool.users.withIdentity(provider.name, userId);
  if (owner?.status === "EXTERNAL_PROVIDER") {
    const message =
      "Merging is not currently supported, provide a SourceUser that has not been signed up in order to link";
    throw invalidParameter(message);
  }
  if (owner) throw invalidParameter("SourceUser is already linked to DestinationUser");
  pool.users.update(user.username, (current) => ({
    ...current,
    identities: [...current.identities, identity(provider, userId, pool.now())],
  }));
}

function identity({ name, type }: ExternalProvider, userId: string, dateCreated: number): Identity {
  return { providerName: name, providerType: type, userId, dateCreated };
}
