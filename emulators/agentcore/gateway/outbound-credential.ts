// The credential that a gateway adds to what it sends to a target.
import type { Secrets } from "../../secrets-manager/secrets.ts";
import type { ApiKeyProviders } from "../api-key-providers.ts";
import { type GatewayRole, vaultRights } from "./gateway-role.ts";
import type { Gateway } from "./gateways.ts";
import { apiKeyOf, type TargetDefinition } from "./target-input.ts";

/** Headers and parameters of the query that are added to a request. */
export type OutboundCredential = { headers: Record<string, string>; query: Record<string, string> };

type Parts = { providers: ApiKeyProviders; secrets: Pick<Secrets, "rightsToRead" | "get">; role: GatewayRole };

/** Reads a target's API key as the gateway's role, anew for each request. @throws Error with a reason for people. */
export async function outboundCredential(
  gateway: Gateway,
  definition: TargetDefinition,
  { providers, secrets, role }: Parts,
): Promise<OutboundCredential> {
  const apiKey = apiKeyOf(definition);
  if (!apiKey) return { headers: {}, query: {} };
  const provider = providers.byArn(apiKey.providerArn);
  if (!provider) throw new Error("The credential provider of the target does not exist.");
  const rights = [...vaultRights(gateway, provider.arn), ...secrets.rightsToRead(provider.secretArn, gateway.region)];
  await role.check(gateway, "GetResourceApiKey", rights);
  const key = keyIn(secrets.get(provider.secretArn), provider.jsonKey);
  const { credentialParameterName: name = "Authorization", credentialPrefix: prefix, credentialLocation } = apiKey;
  // Public code writes "Bearer" and "Bearer ": here both come out with one space.
  const value = prefix === undefined ? key : `${prefix.trimEnd()} ${key}`;
  return credentialLocation === "QUERY_PARAMETER"
    ? { headers: {}, query: { [name]: value } }
    : { headers: { [name]: value }, query: {} };
}

function keyIn(secret: string | undefined, jsonKey: string): string {
  try {
    const key: unknown = JSON.parse(secret ?? "null")?.[jsonKey];
    if (typeof key === "string" && key !== "") return key;
  } catch {
    // A secret that is no JSON has no member.
  }
  throw new Error(`The secret of the credential provider has no key "${jsonKey}".`);
}
