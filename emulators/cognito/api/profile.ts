// The calls that people make on their own profile, by an access token with the scope for it. Managed login has no page for
// them (docs.aws.amazon.com/cognito/latest/developerguide/cognito-user-pools-managed-login.html).
import * as z from "zod";
import { associate, mfaSettings, setPreference, verify } from "../people/software-token.ts";
import { allAttributes, type User } from "../people/users.ts";
import type { Pool } from "../pool.ts";
import { notAuthorized } from "../refusals.ts";
import { verifyAccessToken } from "../tokens.ts";
import { openOperation, type PoolOperation, poolOperation, toList } from "./operation.ts";

const selfServiceScope = "aws.cognito.signin.user.admin";

const own = { AccessToken: z.string() };

const preference = z
  .strictObject({ Enabled: z.boolean().default(false), PreferredMfa: z.boolean().default(false) })
  .optional();

export const profileOperations: Record<string, PoolOperation> = {
  GetUser: openOperation(own, async (pool, { AccessToken }) => {
    const user = await ownerOf(pool, AccessToken);
    return { Username: user.username, UserAttributes: toList(allAttributes(user)), ...mfaSettings(user) };
  }),

  AssociateSoftwareToken: openOperation(own, async (pool, { AccessToken }) => ({
    SecretCode: associate(pool, await ownerOf(pool, AccessToken)),
  })),

  VerifySoftwareToken: openOperation(
    // No page shows the device's name here.
    { ...own, UserCode: z.string().regex(/^\d{6}$/), FriendlyDeviceName: z.string().optional() },
    async (pool, { AccessToken, UserCode }) => {
      verify(pool, await ownerOf(pool, AccessToken), UserCode);
      return { Status: "SUCCESS" };
    },
  ),

  SetUserMFAPreference: openOperation(
    { ...own, SoftwareTokenMfaSettings: preference },
    async (pool, { AccessToken, SoftwareTokenMfaSettings: settings }) => {
      const user = await ownerOf(pool, AccessToken);
      if (settings) setPreference(pool, user, settings.Enabled);
      return {};
    },
  ),

  AdminSetUserMFAPreference: poolOperation(
    { Username: z.string().min(1), SoftwareTokenMfaSettings: preference },
    (pool, { Username, SoftwareTokenMfaSettings: settings }) => {
      const user = pool.users.get(Username);
      if (settings) setPreference(pool, user, settings.Enabled);
      return {};
    },
  ),
};

/** @throws AwsError NotAuthorizedException if the token is not valid or lacks the scope. */
async function ownerOf(pool: Pool, token: string): Promise<User> {
  const { scope = "", username } = await verifyAccessToken(pool, token);
  if (!scope.split(" ").includes(selfServiceScope)) {
    throw notAuthorized("Access Token does not have required scopes");
  }
  return pool.users.get(String(username));
}
