// The user pool's own accounts, as the triggers need them: for a first sign-in with an external provider, and after a new password. The SDK's client is a chunk of its own, loaded
// with the first such sign-in: most instances see tokens only.
import type { AttributeType, CognitoIdentityProviderClient } from "@aws-sdk/client-cognito-identity-provider";
import { sameAddress } from "../../domain/kernel/mail.ts";
import type { SignIns } from "../../domain/people/accounts.ts";
import type { ExternalIdentity, NativeAccounts } from "../../domain/people/first-sign-in.ts";
import { agents } from "../connections.ts";

/** Two attempts of up to three calls: Cognito gives a trigger 5 s in all. */
const timeouts = { connectionTimeout: 500, requestTimeout: 700 };

/** Gives the accounts of a pool: a trigger learns its pool from the event. @param newClient made once. */
export function poolAccounts(
  newClient: () => Promise<CognitoIdentityProviderClient> = cognitoClient,
): (userPoolId: string) => NativeAccounts & SignIns {
  let made: Promise<CognitoIdentityProviderClient> | undefined;
  const client = () => {
    made ??= newClient();
    return made;
  };
  return (userPoolId) => nativeAccounts(userPoolId, client);
}

function nativeAccounts(
  UserPoolId: string,
  client: () => Promise<CognitoIdentityProviderClient>,
): NativeAccounts & SignIns {
  /** Finds the pool's own accounts by address. A profile of an external provider is not found by its address. */
  async function read(Username: string) {
    const { AdminGetUserCommand, UserNotFoundException } = await import("@aws-sdk/client-cognito-identity-provider");
    try {
      return await (await client()).send(new AdminGetUserCommand({ UserPoolId, Username }));
    } catch (error) {
      if (error instanceof UserNotFoundException) return undefined;
      throw error;
    }
  }

  async function isLinked(username: string, { provider, subject }: ExternalIdentity): Promise<boolean> {
    const identities = attribute((await read(username))?.UserAttributes, "identities") ?? "[]";
    const linked = JSON.parse(identities) as { providerName: string; userId: string }[];
    return linked.some(({ providerName, userId }) => providerName === provider && userId === subject);
  }

  return {
    async byEmail(email) {
      const found = await read(email);
      // The lookup finds usernames as well, and a provider's text need not be an address.
      if (!found?.Username || !sameAddress(attribute(found.UserAttributes, "email"), email)) return undefined;
      const isVerified = attribute(found.UserAttributes, "email_verified") === "true";
      return {
        username: found.Username,
        holdsAddress: isVerified && found.UserStatus !== "UNCONFIRMED",
        hasSecondFactor: (found.UserMFASettingList ?? []).length > 0,
      };
    },

    async link({ username }, identity) {
      const { AdminLinkProviderForUserCommand } = await import("@aws-sdk/client-cognito-identity-provider");
      const command = new AdminLinkProviderForUserCommand({
        UserPoolId,
        DestinationUser: { ProviderName: "Cognito", ProviderAttributeValue: username },
        SourceUser: {
          ProviderName: identity.provider,
          ProviderAttributeName: "Cognito_Subject",
          ProviderAttributeValue: identity.subject,
        },
      });
      try {
        await (await client()).send(command);
      } catch (error) {
        // An attempt whose answer was lost may have linked it; how Cognito then refuses the next one is not told.
        if (!(await isLinked(username, identity))) throw error;
      }
    },

    async endSignIns(sub) {
      const { AdminUserGlobalSignOutCommand } = await import("@aws-sdk/client-cognito-identity-provider");
      await (await client()).send(new AdminUserGlobalSignOutCommand({ UserPoolId, Username: sub }));
    },
  };
}

async function cognitoClient(): Promise<CognitoIdentityProviderClient> {
  const { CognitoIdentityProviderClient } = await import("@aws-sdk/client-cognito-identity-provider");
  const requestHandler = { ...timeouts, ...agents(), throwOnRequestTimeout: true };
  return new CognitoIdentityProviderClient({ maxAttempts: 2, requestHandler });
}

function attribute(attributes: AttributeType[] = [], name: string): string | undefined {
  return attributes.find(({ Name }) => Name === name)?.Value;
}
