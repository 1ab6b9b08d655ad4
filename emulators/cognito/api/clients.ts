// The calls on app clients, which a program makes at run time beside the declared ones.
import * as z from "zod";
import { parsedInput } from "../../aws/input.ts";
import { type AppClient, type ClientSecret, type ClientSettings, clientSettings, generatedSecret } from "../clients.ts";
import type { Pool } from "../pool.ts";
import { invalidParameter } from "../refusals.ts";
import { type PoolOperation, pageOf, poolOperation, seconds } from "./operation.ts";

const settingNames = Object.keys(clientSettings.shape) as (keyof ClientSettings)[];

/** The settings are checked by their own schema. */
const settingsInput = Object.fromEntries(settingNames.map((name) => [nameInCalls(name), z.unknown().optional()]));

/** The API reference's pattern of a secret that a caller chooses. */
const secretValue = z.string().regex(/^[\w+]{24,64}$/);

const existingClient = { ClientId: z.string() };

export const clientOperations: Record<string, PoolOperation> = {
  CreateUserPoolClient: poolOperation(
    {
      ClientName: z.string().min(1),
      GenerateSecret: z.boolean().default(false),
      ClientSecret: secretValue.optional(),
      ...settingsInput,
    },
    (pool, { UserPoolId: _, ClientName, GenerateSecret, ClientSecret, ...input }) => {
      if (GenerateSecret && ClientSecret !== undefined) {
        throw invalidParameter("GenerateSecret and ClientSecret exclude each other.");
      }
      const secret = GenerateSecret ? generatedSecret() : (ClientSecret as string | undefined);
      const client = pool.clients.create(String(ClientName), readSettings(input), secret);
      return { UserPoolClient: describeClient(pool, client) };
    },
  ),

  DescribeUserPoolClient: poolOperation(existingClient, (pool, { ClientId }) => ({
    UserPoolClient: describeClient(pool, pool.clients.get(ClientId)),
  })),

  // What a call leaves out gets its default (API_UpdateUserPoolClient.html). Secrets have operations of their own.
  UpdateUserPoolClient: poolOperation(
    { ...existingClient, ClientName: z.string().min(1), ...settingsInput },
    (pool, { UserPoolId: _, ClientId, ClientName, ...input }) => {
      const client = pool.clients.update(pool.clients.get(String(ClientId)), String(ClientName), readSettings(input));
      return { UserPoolClient: describeClient(pool, client) };
    },
  ),

  DeleteUserPoolClient: poolOperation(existingClient, (pool, { ClientId }) => {
    pool.clients.delete(pool.clients.get(ClientId).id);
  }),

  ListUserPoolClients: poolOperation(
    { MaxResults: z.int().min(1).max(60).default(60), NextToken: z.string().regex(/^\d+$/).optional() },
    (pool, { MaxResults, NextToken }) => {
      const { page, next } = pageOf(pool.clients.all(), NextToken, MaxResults);
      const clients = page.map(({ id, name }) => ({ ClientId: id, UserPoolId: pool.id, ClientName: name }));
      return { UserPoolClients: clients, NextToken: next };
    },
  ),

  AddUserPoolClientSecret: poolOperation(
    { ...existingClient, ClientSecret: secretValue.optional() },
    (pool, { ClientId, ClientSecret }) => {
      const secret = pool.clients.addSecret(pool.clients.get(ClientId), ClientSecret ?? generatedSecret());
      const generated = ClientSecret === undefined && { ClientSecretValue: secret.value };
      return { ClientSecretDescriptor: { ...describeSecret(secret), ...generated } };
    },
  ),

  DeleteUserPoolClientSecret: poolOperation(
    { ...existingClient, ClientSecretId: z.string() },
    (pool, { ClientId, ClientSecretId }) => {
      pool.clients.deleteSecret(pool.clients.get(ClientId), ClientSecretId);
      return {};
    },
  ),

  ListUserPoolClientSecrets: poolOperation(
    { ...existingClient, NextToken: z.string().optional() },
    (pool, { ClientId }) => ({ ClientSecrets: pool.clients.get(ClientId).secrets.map(describeSecret) }),
  ),
};

/** Reads the settings of a call. @throws AwsError InvalidParameterException that lists what is wrong. */
function readSettings(input: Record<string, unknown>): ClientSettings {
  return parsedInput(clientSettings, mapNames(input, nameInPulumi), "InvalidParameterException");
}

/** A secret's value is shown at its creation alone. */
function describeSecret({ id, createdAt }: ClientSecret) {
  return { ClientSecretId: id, ClientSecretCreateDate: seconds(createdAt) };
}

function describeClient(pool: Pool, client: AppClient) {
  return {
    UserPoolId: pool.id,
    ClientId: client.id,
    ClientName: client.name,
    // The API reference does not say which of two secrets is shown.
    ClientSecret: client.secrets[0]?.value,
    CreationDate: seconds(client.createdAt),
    LastModifiedDate: seconds(client.modifiedAt),
    ...mapNames(client.settings, nameInCalls),
  };
}

/** Changes the names of a record and of the records in it. */
function mapNames(record: object, change: (name: string) => string): Record<string, unknown> {
  const isRecord = (value: unknown) => value !== null && typeof value === "object" && !Array.isArray(value);
  const entries = Object.entries(record).map(([name, value]) => [
    change(name),
    isRecord(value) ? mapNames(value, change) : value,
  ]);
  return Object.fromEntries(entries);
}

/** `callbackUrls` is `CallbackURLs` in a call, and `allowedOauthFlows` is `AllowedOAuthFlows`. */
function nameInCalls(name: string): string {
  const capitalised = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
  return capitalised.replace("Oauth", "OAuth").replace("Urls", "URLs");
}

function nameInPulumi(name: string): string {
  return `${name.charAt(0).toLowerCase()}${name.slice(1)}`.replace("OAuth", "Oauth").replace("URLs", "Urls");
}
