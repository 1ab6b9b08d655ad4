// The calls on the pool itself, its app clients and its resource servers.
import * as z from "zod";
import { AwsError } from "../../aws/service.ts";
import { type AppClient, type ClientSettings, clientSettings } from "../clients.ts";
import { problems } from "../declared.ts";
import type { Pool } from "../pool.ts";
import { identifierPattern, type ResourceServer, scopeNamePattern } from "../resource-servers.ts";
import { clientOf } from "./authentication.ts";
import { type PoolOperation, pageOf, poolOperation, seconds } from "./operation.ts";

/** A call's names for the settings, and Pulumi's. */
const settingNames: Record<string, keyof ClientSettings> = {
  AllowedOAuthFlowsUserPoolClient: "allowedOauthFlowsUserPoolClient",
  AllowedOAuthFlows: "allowedOauthFlows",
  AllowedOAuthScopes: "allowedOauthScopes",
  CallbackURLs: "callbackUrls",
  LogoutURLs: "logoutUrls",
  DefaultRedirectURI: "defaultRedirectUri",
  SupportedIdentityProviders: "supportedIdentityProviders",
  ExplicitAuthFlows: "explicitAuthFlows",
  AccessTokenValidity: "accessTokenValidity",
  IdTokenValidity: "idTokenValidity",
  RefreshTokenValidity: "refreshTokenValidity",
  TokenValidityUnits: "tokenValidityUnits",
  AuthSessionValidity: "authSessionValidity",
  EnableTokenRevocation: "enableTokenRevocation",
  RefreshTokenRotation: "refreshTokenRotation",
  PreventUserExistenceErrors: "preventUserExistenceErrors",
  ReadAttributes: "readAttributes",
  WriteAttributes: "writeAttributes",
  EnablePropagateAdditionalUserContextData: "enablePropagateAdditionalUserContextData",
};

/** The settings are checked by their own schema. */
const settingsInput = Object.fromEntries(Object.keys(settingNames).map((name) => [name, z.unknown().optional()]));

const existingClient = { ClientId: z.string() };
const server = { Identifier: z.string().regex(identifierPattern) };
const scopeInput = z.strictObject({ ScopeName: z.string().regex(scopeNamePattern), ScopeDescription: z.string() });

export const clientOperations: Record<string, PoolOperation> = {
  DescribeUserPool: poolOperation({}, (pool) => ({ UserPool: describePool(pool) })),

  CreateUserPoolClient: poolOperation(
    { ClientName: z.string().min(1), GenerateSecret: z.boolean().default(false), ...settingsInput },
    (pool, { UserPoolId: _, ClientName, GenerateSecret, ...input }) => {
      const client = pool.clients.create(String(ClientName), readSettings(input), GenerateSecret === true);
      return { UserPoolClient: describeClient(pool, client) };
    },
  ),

  DescribeUserPoolClient: poolOperation(existingClient, (pool, { ClientId }) => ({
    UserPoolClient: describeClient(pool, clientOf(pool, ClientId)),
  })),

  UpdateUserPoolClient: poolOperation(
    { ...existingClient, ClientName: z.string().min(1).optional(), ...settingsInput },
    (pool, { UserPoolId: _, ClientId, ClientName, ...input }) => {
      const client = clientOf(pool, String(ClientId));
      const name = typeof ClientName === "string" ? ClientName : client.name;
      return { UserPoolClient: describeClient(pool, pool.clients.replace(client, name, readSettings(input))) };
    },
  ),

  DeleteUserPoolClient: poolOperation(existingClient, (pool, { ClientId }) => {
    pool.clients.delete(clientOf(pool, ClientId).id);
  }),

  ListUserPoolClients: poolOperation(
    { MaxResults: z.int().min(1).max(60).default(60), NextToken: z.string().regex(/^\d+$/).optional() },
    (pool, { MaxResults, NextToken }) => {
      const { page, next } = pageOf(pool.clients.all(), NextToken, MaxResults);
      const UserPoolClients = page.map(({ id, name }) => ({ ClientId: id, ClientName: name, UserPoolId: pool.id }));
      return { UserPoolClients, NextToken: next };
    },
  ),

  CreateResourceServer: poolOperation(
    { ...server, Name: z.string().min(1), Scopes: z.array(scopeInput).max(100).default([]) },
    (pool, { Identifier, Name, Scopes }) => {
      const scopes = Scopes.map(({ ScopeName: scopeName, ScopeDescription: scopeDescription }) => ({
        scopeName,
        scopeDescription,
      }));
      pool.resourceServers.create({ id: Identifier, name: Name, scopes });
      return { ResourceServer: describeServer(pool, pool.resourceServers.get(Identifier)) };
    },
  ),

  DescribeResourceServer: poolOperation(server, (pool, { Identifier }) => ({
    ResourceServer: describeServer(pool, pool.resourceServers.get(Identifier)),
  })),

  DeleteResourceServer: poolOperation(server, (pool, { Identifier }) => {
    pool.resourceServers.delete(Identifier);
  }),
};

/** From a call's names and values. @throws AwsError InvalidParameterException that lists what is wrong. */
function readSettings(input: Record<string, unknown>): ClientSettings {
  const named = Object.entries(input).map(([name, value]) => {
    const setting = settingNames[name];
    if (!setting) throw new AwsError("InvalidParameterException", `${name}: not a setting of an app client`);
    return [setting, isRecord(value) ? mapKeys(value, decapitalise) : value];
  });
  const parsed = clientSettings.safeParse(Object.fromEntries(named));
  if (parsed.success) return parsed.data;
  throw new AwsError("InvalidParameterException", problems(parsed.error).join("; "));
}

function describeClient(pool: Pool, client: AppClient) {
  const settings = Object.entries(settingNames).map(([name, setting]) => {
    const value = client.settings[setting];
    return [name, isRecord(value) ? mapKeys(value, capitalise) : value];
  });
  return {
    UserPoolId: pool.id,
    ClientId: client.id,
    ClientName: client.name,
    ClientSecret: client.secret,
    CreationDate: seconds(client.createdAt),
    LastModifiedDate: seconds(client.modifiedAt),
    ...Object.fromEntries(settings),
  };
}

function describeServer(pool: Pool, { id, name, scopes }: ResourceServer) {
  const Scopes = scopes.map(({ scopeName, scopeDescription }) => ({
    ScopeName: scopeName,
    ScopeDescription: scopeDescription,
  }));
  return { UserPoolId: pool.id, Identifier: id, Name: name, Scopes };
}

function describePool({ settings, id, arn, domain, users }: Pool) {
  const { preTokenGenerationConfig: config, preSignUp, postConfirmation } = settings.lambdaConfig;
  const PreTokenGenerationConfig = config && mapKeys(config, capitalise);
  return {
    Id: id,
    Name: settings.name,
    Arn: arn,
    CustomDomain: domain,
    UserPoolTier: settings.userPoolTier,
    MfaConfiguration: settings.mfaConfiguration,
    EstimatedNumberOfUsers: users.all().length,
    UsernameAttributes: settings.usernameAttributes,
    AutoVerifiedAttributes: settings.autoVerifiedAttributes,
    Policies: { PasswordPolicy: mapKeys(settings.passwordPolicy, capitalise) },
    LambdaConfig: { PreSignUp: preSignUp, PostConfirmation: postConfirmation, PreTokenGenerationConfig },
    AdminCreateUserConfig: {
      AllowAdminCreateUserOnly: settings.adminCreateUserConfig?.allowAdminCreateUserOnly ?? false,
    },
  };
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

function mapKeys(record: Record<string, unknown>, change: (key: string) => string): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [change(key), value]));
}

function capitalise(name: string): string {
  return name.charAt(0).toUpperCase() + name.slice(1);
}

function decapitalise(name: string): string {
  return name.charAt(0).toLowerCase() + name.slice(1);
}
