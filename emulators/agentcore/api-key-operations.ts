// The operations on API key credential providers. All are POST with the name in the body, and their times are seconds.
import * as z from "zod";
import { accountId } from "../aws/account.ts";
import type { Secrets } from "../secrets-manager/secrets.ts";
import {
  type ApiKeyProvider,
  type ApiKeyProviders,
  type KeySource,
  managedJsonKey,
  managedSecretArn,
} from "./api-key-providers.ts";
import { providerArn, vaultArn } from "./arns.ts";
import { page, pageOf, tags } from "./members.ts";
import { type AgentCoreCall, type AgentCoreOperation, operation, requestTags, right, tagRight } from "./operation.ts";
import { invalid } from "./refusals.ts";

/** The model takes 128 characters, the console 50. */
const named = { name: z.string().regex(/^[a-zA-Z0-9\-_]{1,128}$/) };
const keyMembers = {
  apiKey: z.string().min(1).max(65_536).optional(),
  apiKeySecretConfig: z.strictObject({ secretId: z.string().min(1), jsonKey: z.string().min(1) }).optional(),
  apiKeySecretSource: z.enum(["MANAGED", "EXTERNAL"]).default("MANAGED"),
};
type Key = z.output<z.ZodObject<typeof keyMembers>>;

function rights({ name }: { name: string }, call: AgentCoreCall) {
  const arn = providerArn(call.region, name);
  return [right(call, arn, call.providers.byArn(arn)?.tags), right(call, vaultArn(call.region))];
}

/** AgentCore keeps a key that it is given in a secret of its own, by the rights of its caller. */
function secretRight(verb: string, { region }: AgentCoreCall, { name, apiKeySecretSource }: Key & { name: string }) {
  if (apiKeySecretSource === "EXTERNAL") return [];
  const secret = `secret:bedrock-agentcore-identity!default/apikey/${name}-000000`;
  return [{ action: `secretsmanager:${verb}`, resource: `arn:aws:secretsmanager:${region}:${accountId}:${secret}` }];
}

export function apiKeyOperations(secrets: Pick<Secrets, "create" | "remove" | "arnOf">) {
  const operations: Record<string, AgentCoreOperation> = {
    CreateApiKeyCredentialProvider: operation(
      "POST /identities/CreateApiKeyCredentialProvider",
      201,
      z.strictObject({ ...named, ...keyMembers, tags }),
      (input, call) => [
        ...rights(input, call).map((one) => ({ ...one, context: { ...one.context, ...requestTags(input.tags) } })),
        ...tagRight(providerArn(call.region, input.name), input.tags),
        ...secretRight("CreateSecret", call, input),
      ],
      (input, { providers, region }) => {
        providers.checkFree(region, input.name);
        const source = sourceOf(input, region) ?? managed(managedSecretArn(region, accountId, input.name));
        if (source.source === "MANAGED") secrets.create(source.secretArn, secretValueOf(input));
        return describe(providers.create(region, input.name, source, input.tags ?? {}));
      },
    ),

    GetApiKeyCredentialProvider: operation(
      "POST /identities/GetApiKeyCredentialProvider",
      200,
      z.strictObject(named),
      rights,
      ({ name }, { providers, region }) => withTimes(providers.get(region, name)),
    ),

    // A provider in use is deleted like any other: the operation's model knows no ConflictException.
    DeleteApiKeyCredentialProvider: operation(
      "POST /identities/DeleteApiKeyCredentialProvider",
      204,
      z.strictObject(named),
      (input, call) => {
        const source = call.providers.find(call.region, input.name)?.source ?? "EXTERNAL";
        return [...rights(input, call), ...secretRight("DeleteSecret", call, { ...input, apiKeySecretSource: source })];
      },
      ({ name }, { providers, region }) => {
        const provider = providers.get(region, name);
        dropOwnSecret(provider);
        providers.delete(provider);
      },
    ),

    ListApiKeyCredentialProviders: operation(
      "POST /identities/ListApiKeyCredentialProviders",
      200,
      z.strictObject(page),
      (_, call) => [right(call, providerArn(call.region, "*")), right(call, vaultArn(call.region))],
      (input, { providers, region }) => {
        const { page: found, ...next } = pageOf(ofRegion(providers, region), input);
        const items = found.map(({ name, arn, ...times }) => ({ name, credentialProviderArn: arn, ...seconds(times) }));
        return { credentialProviders: items, ...next };
      },
    ),
  };
  return operations;

  function sourceOf({ apiKeySecretSource, apiKeySecretConfig, apiKey }: Key, region: string): KeySource | undefined {
    if (apiKeySecretSource === "MANAGED") return undefined;
    if (!apiKeySecretConfig || apiKey !== undefined) {
      throw invalid("apiKeySecretSource: EXTERNAL needs apiKeySecretConfig and no apiKey");
    }
    const { secretId, jsonKey } = apiKeySecretConfig;
    return { source: "EXTERNAL", secretArn: secrets.arnOf(secretId, region), jsonKey };
  }

  function dropOwnSecret({ source, secretArn }: ApiKeyProvider): void {
    if (source === "MANAGED") secrets.remove(secretArn);
  }
}

function managed(secretArn: string): KeySource {
  return { source: "MANAGED", secretArn, jsonKey: managedJsonKey };
}

/** @throws AwsError for a managed provider without a key. */
function secretValueOf({ apiKey, apiKeySecretConfig }: Key): string {
  if (apiKey === undefined || apiKeySecretConfig) throw invalid("apiKey: MANAGED needs it, and no apiKeySecretConfig");
  return JSON.stringify({ [managedJsonKey]: apiKey });
}

function ofRegion(providers: ApiKeyProviders, region: string): ApiKeyProvider[] {
  return providers.all().filter((provider) => provider.region === region);
}

function describe({ name, arn, source, secretArn, jsonKey }: ApiKeyProvider) {
  return {
    name,
    credentialProviderArn: arn,
    apiKeySecretArn: { secretArn },
    apiKeySecretJsonKey: jsonKey,
    apiKeySecretSource: source,
  };
}

function withTimes(provider: ApiKeyProvider) {
  return { ...describe(provider), ...seconds(provider) };
}

function seconds({ createdAt, updatedAt }: Pick<ApiKeyProvider, "createdAt" | "updatedAt">) {
  return { createdTime: createdAt / 1000, lastUpdatedTime: updatedAt / 1000 };
}
