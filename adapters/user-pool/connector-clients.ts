// The app clients of MCP gateways: one with a secret for a connector's form, and a public one for programs.
import {
  AddUserPoolClientSecretCommand,
  CognitoIdentityProviderClient,
  CreateUserPoolClientCommand,
  DeleteUserPoolClientCommand,
  DeleteUserPoolClientSecretCommand,
  ListUserPoolClientSecretsCommand,
  paginateListUserPoolClients,
  UpdateUserPoolClientCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import { appClients } from "../../domain/access/app-client.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { ConnectorClients } from "../../domain/mcp/agentcore-gateways.ts";
import { agents } from "../connections.ts";

type ConnectorClientOptions = {
  userPoolId: string;
  /** The prefix of the platform's scopes. */
  scopePrefix: string;
  /** Where people come back to: the authorization server in front of the pool. */
  callbackUrl: string;
  /** The pool's external providers. */
  identityProviders: string[];
};

const timeouts = { connectionTimeout: 1_000, requestTimeout: 4_000 };
/** How many app clients the pool has, the platform's own included. */
export function appClientCount(UserPoolId: string, client = cognitoClient()): () => Promise<number> {
  return async () => {
    let count = 0;
    const pages = paginateListUserPoolClients({ client }, { UserPoolId, MaxResults: 60 });
    for await (const { UserPoolClients = [] } of pages) count += UserPoolClients.length;
    return count;
  };
}

/**
 * @param once sends what makes something anew. Cognito knows no token by which it could tell a repeat, so that a second attempt after a
 * lost answer would make a second client or secret; who asks again looks for the first one before.
 */
export function connectorClients(
  options: ConnectorClientOptions,
  client = cognitoClient(),
  once = cognitoClient({ maxAttempts: 1 }),
): ConnectorClients {
  const { userPoolId: UserPoolId } = options;
  const settings = settingsOf(options);

  return {
    find(name) {
      const search = async () => {
        for await (const { UserPoolClients = [] } of paginateListUserPoolClients({ client }, { UserPoolId })) {
          const found = UserPoolClients.find(({ ClientName }) => ClientName === name);
          if (found) return found.ClientId;
        }
        return undefined;
      };
      return refusing(search());
    },

    async create({ name, secret }) {
      const command = new CreateUserPoolClientCommand({
        UserPoolId,
        ClientName: name,
        ...(secret === undefined ? { GenerateSecret: false } : { ClientSecret: secret }),
        ...settings,
      });
      const { UserPoolClient } = await refusing(once.send(command));
      if (!UserPoolClient?.ClientId) throw new Error("CreateUserPoolClient answered without an id");
      return UserPoolClient.ClientId;
    },

    async renew(ClientId, ClientName) {
      const command = new UpdateUserPoolClientCommand({ UserPoolId, ClientId, ClientName, ...settings });
      await unlessGone(client.send(command));
    },

    async remove(ClientId) {
      await unlessGone(client.send(new DeleteUserPoolClientCommand({ UserPoolId, ClientId })));
    },

    async secrets(ClientId) {
      const { ClientSecrets = [] } = await refusing(
        client.send(new ListUserPoolClientSecretsCommand({ UserPoolId, ClientId })),
      );
      return ClientSecrets.map(({ ClientSecretId = "", ClientSecretCreateDate }) => ({
        secretId: ClientSecretId,
        createdAt: ClientSecretCreateDate?.getTime() ?? 0,
      })).toSorted((a, b) => a.createdAt - b.createdAt);
    },

    async addSecret(ClientId, ClientSecret) {
      const command = new AddUserPoolClientSecretCommand({ UserPoolId, ClientId, ClientSecret });
      const { ClientSecretDescriptor } = await refusing(once.send(command));
      if (!ClientSecretDescriptor?.ClientSecretId) throw new Error("AddUserPoolClientSecret answered without an id");
      return ClientSecretDescriptor.ClientSecretId;
    },

    async removeSecret(ClientId, ClientSecretId) {
      await unlessGone(client.send(new DeleteUserPoolClientSecretCommand({ UserPoolId, ClientId, ClientSecretId })));
    },
  };
}

/**
 * Rotation is off: the authorization server in front of the pool replaces refresh tokens, and keeps the pool's own token sealed in its own
 * (domain/connectors/refresh-family.ts). People sign in on the hosted pages alone, so that the one flow only serves refresh tokens.
 */
function settingsOf({ scopePrefix, callbackUrl, identityProviders }: ConnectorClientOptions) {
  const { accessMinutes, refreshHours, scopes } = appClients.connector;
  return {
    AllowedOAuthFlowsUserPoolClient: true,
    AllowedOAuthFlows: ["code" as const],
    AllowedOAuthScopes: scopes.map((scope) => `${scopePrefix}/${scope}`),
    CallbackURLs: [callbackUrl],
    SupportedIdentityProviders: ["COGNITO", ...identityProviders],
    ExplicitAuthFlows: ["ALLOW_REFRESH_TOKEN_AUTH" as const],
    AccessTokenValidity: accessMinutes,
    IdTokenValidity: accessMinutes,
    RefreshTokenValidity: refreshHours,
    TokenValidityUnits: {
      AccessToken: "minutes" as const,
      IdToken: "minutes" as const,
      RefreshToken: "hours" as const,
    },
    RefreshTokenRotation: { Feature: "DISABLED" as const },
    EnableTokenRevocation: true,
    PreventUserExistenceErrors: "ENABLED" as const,
  };
}

/** The whole of a client's settings but its name, by which a gateway's form also says how its clients are made. */
export function connectorClientForm(options: ConnectorClientOptions): string {
  return JSON.stringify(settingsOf(options));
}

function cognitoClient(options: { maxAttempts?: number } = {}): CognitoIdentityProviderClient {
  return new CognitoIdentityProviderClient({
    ...options,
    requestHandler: { ...timeouts, ...agents(), throwOnRequestTimeout: true },
  });
}

async function unlessGone<T>(answer: Promise<T>): Promise<void> {
  try {
    await answer;
  } catch (error) {
    if (error instanceof Error && error.name === "ResourceNotFoundException") return;
    throw refusalOf(error);
  }
}

async function refusing<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (error) {
    throw refusalOf(error);
  }
}

function refusalOf(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  if (error.name === "LimitExceededException") {
    const message = "The platform has no room for another MCP gateway right now: ask its operator to raise the limit";
    return new Refusal("platform_full", message, { cause: error });
  }
  const { $fault } = error as { $fault?: string };
  if ($fault !== "server" && error.name !== "TooManyRequestsException" && error.name !== "TimeoutError") return error;
  const message = "The identity provider does not answer right now, try again";
  return new Refusal("identity_unavailable", message, { cause: error });
}
