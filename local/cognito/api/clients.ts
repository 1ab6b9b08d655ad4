// The calls on app clients, which a program makes at run time beside the declared ones.
import * as z from "zod";
import { parsedInput } from "../../aws/input.ts";
import { type AppClient, type ClientSettings, clientSettings } from "../clients.ts";
import type { Pool } from "../pool.ts";
import { type PoolOperation, poolOperation, seconds } from "./operation.ts";

const settingNames = Object.keys(clientSettings.shape) as (keyof ClientSettings)[];

/** The settings are checked by their own schema. */
const settingsInput = Object.fromEntries(settingNames.map((name) => [nameInCalls(name), z.unknown().optional()]));

const existingClient = { ClientId: z.string() };

export const clientOperations: Record<string, PoolOperation> = {
  CreateUserPoolClient: poolOperation(
    { ClientName: z.string().min(1), GenerateSecret: z.boolean().default(false), ...settingsInput },
    (pool, { UserPoolId: _, ClientName, GenerateSecret, ...input }) => {
      const client = pool.clients.create(String(ClientName), readSettings(input), GenerateSecret === true);
      return { UserPoolClient: describeClient(pool, client) };
    },
  ),

  DescribeUserPoolClient: poolOperation(existingClient, (pool, { ClientId }) => ({
    UserPoolClient: describeClient(pool, pool.clients.get(ClientId)),
  })),

  DeleteUserPoolClient: poolOperation(existingClient, (pool, { ClientId }) => {
    pool.clients.delete(pool.clients.get(ClientId).id);
  }),
};

/** Reads the settings of a call. @throws AwsError InvalidParameterException that lists what is wrong. */
function readSettings(input: Record<string, unknown>): ClientSettings {
  return parsedInput(clientSettings, mapNames(input, nameInPulumi), "InvalidParameterException");
}

function describeClient(pool: Pool, client: AppClient) {
  return {
    UserPoolId: pool.id,
    ClientId: client.id,
    ClientName: client.name,
    ClientSecret: client.secret,
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
