// The calls on users: creating, reading, changing and linking.
import * as z from "zod";
import { AwsError } from "../../aws/service.ts";
import { checkAttributes } from "../people/attributes.ts";
import { linkIdentity } from "../people/federation.ts";
import { adminCreateUser, resendInvitation, setPassword } from "../people/sign-up.ts";
import { mfaSettings } from "../people/software-token.ts";
import { userFilter } from "../people/user-filter.ts";
import { allAttributes, type User } from "../people/users.ts";
import type { Pool } from "../pool.ts";
import { invalidParameter } from "../refusals.ts";
import { attributeList, fromList, type PoolOperation, pageOf, poolOperation, seconds, toList } from "./operation.ts";

const person = { Username: z.string().min(1) };

const linkedUser = z.strictObject({
  ProviderName: z.string(),
  ProviderAttributeName: z.string().optional(),
  ProviderAttributeValue: z.string(),
});

const adminCreateUserInput = {
  ...person,
  UserAttributes: attributeList.optional(),
  TemporaryPassword: z.string().optional(),
  MessageAction: z.enum(["RESEND", "SUPPRESS"]).optional(),
  ClientMetadata: z.record(z.string(), z.string()).optional(),
  DesiredDeliveryMediums: z.array(z.literal("EMAIL")).optional(),
};

export const userOperations: Record<string, PoolOperation> = {
  AdminCreateUser: poolOperation(adminCreateUserInput, async (pool, input) => {
    const { Username: username, TemporaryPassword: password, MessageAction: action, ClientMetadata: metadata } = input;
    if (action === "RESEND") {
      return { User: describe(await resendInvitation(pool, pool.users.get(username), password, metadata)) };
    }
    const attributes = fromList(input.UserAttributes);
    const wanted = { username, password, attributes, mail: action !== "SUPPRESS", metadata };
    return { User: describe(await adminCreateUser(pool, wanted)) };
  }),

  AdminGetUser: poolOperation(person, (pool, { Username }) => {
    const user = pool.users.get(Username);
    const { Attributes, ...rest } = describe(user);
    return { ...rest, UserAttributes: Attributes, ...mfaSettings(user) };
  }),

  AdminDeleteUser: poolOperation(person, (pool, { Username }) => {
    const { username } = pool.users.get(Username);
    pool.authentications.revokeAllOf(username);
    pool.users.delete(username);
  }),

  /** The sign-ins of browsers at the hosted pages stay (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference/API_AdminUserGlobalSignOut.html). */
  AdminUserGlobalSignOut: poolOperation(person, (pool, { Username }) => {
    pool.authentications.revokeAllOf(pool.users.get(Username).username);
    return {};
  }),

  AdminSetUserPassword: poolOperation(
    { ...person, Password: z.string(), Permanent: z.boolean().default(false) },
    async (pool, { Username, Password, Permanent }) => {
      await setPassword(pool, pool.users.get(Username), Password, Permanent);
      return {};
    },
  ),

  AdminUpdateUserAttributes: poolOperation(
    { ...person, UserAttributes: attributeList },
    (pool, { Username, UserAttributes }) => {
      updateAttributes(pool, pool.users.get(Username), fromList(UserAttributes));
      return {};
    },
  ),

  AdminLinkProviderForUser: poolOperation(
    { DestinationUser: linkedUser, SourceUser: linkedUser },
    (pool, { DestinationUser: destination, SourceUser: source }) => {
      if (destination.ProviderName !== "Cognito")
        throw invalidParameter("Only a DestinationUser of Cognito is emulated.");
      if (source.ProviderAttributeName !== "Cognito_Subject") {
        throw invalidParameter("Only the SourceUser's ProviderAttributeName Cognito_Subject is emulated.");
      }
      const provider = pool.providers.get(source.ProviderName);
      if (!provider) throw new AwsError("ResourceNotFoundException", `Provider ${source.ProviderName} does not exist.`);
      const user = pool.users.get(destination.ProviderAttributeValue);
      linkIdentity(pool, user, provider, source.ProviderAttributeValue);
      return {};
    },
  ),

  ListUsers: poolOperation(
    {
      Filter: z.string().optional(),
      AttributesToGet: z.array(z.string()).optional(),
      Limit: z.int().min(1).max(60).default(60),
      PaginationToken: z.string().regex(/^\d+$/).optional(),
    },
    (pool, { Filter, AttributesToGet, Limit, PaginationToken }) => {
      const found = pool.users.all().filter(userFilter(Filter));
      const { page, next } = pageOf(found, PaginationToken, Limit);
      return { Users: page.map((user) => describe(user, AttributesToGet)), PaginationToken: next };
    },
  ),
};

/** The user in the shape that most calls answer with. */
function describe(user: User, names?: string[]) {
  const attributes = Object.entries(allAttributes(user)).filter(([name]) => !names || names.includes(name));
  return {
    Username: user.username,
    Attributes: toList(Object.fromEntries(attributes)),
    UserCreateDate: seconds(user.createdAt),
    UserLastModifiedDate: seconds(user.modifiedAt),
    Enabled: true,
    UserStatus: user.status,
  };
}

/** A new address counts as not verified unless the call says otherwise. An empty value removes the attribute. */
function updateAttributes(pool: Pool, user: User, changes: Record<string, string>): void {
  checkAttributes(pool.settings, changes);
  const moved = changes.email !== undefined && changes.email !== user.attributes.email;
  if (moved) pool.users.checkAddressFree(changes.email, user);
  pool.users.update(user.username, (current) => {
    const attributes = { ...current.attributes, ...(moved && { email_verified: "false" }), ...changes };
    const kept = Object.entries(attributes).filter(([, value]) => value !== "");
    return { ...current, attributes: Object.fromEntries(kept) };
  });
}
