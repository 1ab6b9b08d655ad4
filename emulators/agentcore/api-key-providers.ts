// API key credential providers: a name for a key that lies in Secrets Manager, in a secret of the provider's own or in one of ours.
import type { Collection } from "../store.ts";
import { providerArn } from "./arns.ts";
import { lowerCase, randomText } from "./ids.ts";
import type { AgentCoreParts } from "./parts.ts";
import { conflict, notFound, overQuota } from "./refusals.ts";

export type ApiKeyProvider = {
  name: string;
  arn: string;
  region: string;
  source: "MANAGED" | "EXTERNAL";
  secretArn: string;
  /** The member of the secret's JSON with the key. */
  jsonKey: string;
  createdAt: number;
  updatedAt: number;
  tags: Record<string, string>;
};

/** The member of a secret that AgentCore makes itself. */
export const managedJsonKey = "api_key_value";

export type KeySource = Pick<ApiKeyProvider, "source" | "secretArn" | "jsonKey">;

export class ApiKeyProviders {
  readonly #kept: Collection<ApiKeyProvider>;
  readonly #parts: AgentCoreParts;

  constructor(parts: AgentCoreParts) {
    this.#kept = parts.store.collection("agentcore-api-key-provider");
    this.#parts = parts;
  }

  all(): ApiKeyProvider[] {
    return this.#kept.all();
  }

  byArn(arn: string): ApiKeyProvider | undefined {
    return this.#kept.get(arn);
  }

  find(region: string, name: string): ApiKeyProvider | undefined {
    return this.byArn(providerArn(region, name));
  }

  /** @throws AwsError ResourceNotFoundException */
  get(region: string, name: string): ApiKeyProvider {
    const provider = this.find(region, name);
    if (!provider) throw notFound(`Credential provider ${name} was not found`);
    return provider;
  }

  /** @throws AwsError for a name that is taken, and above the quota. */
  checkFree(region: string, name: string): void {
    if (this.find(region, name)) throw conflict(`Credential provider with name ${name} already exists`);
    const { apiKeyCredentialProviders: most } = this.#parts.settings().quotas;
    const count = this.all().filter((provider) => provider.region === region).length;
    if (count >= most) throw overQuota(`The account has its ${most} API key credential providers`);
  }

  create(region: string, name: string, key: KeySource, tags: Record<string, string>): ApiKeyProvider {
    const now = this.#parts.now();
    return this.save({ name, arn: providerArn(region, name), region, ...key, createdAt: now, updatedAt: now, tags });
  }

  save(provider: ApiKeyProvider): ApiKeyProvider {
    this.#kept.put(provider.arn, provider);
    return provider;
  }

  delete({ arn }: ApiKeyProvider): void {
    this.#kept.delete(arn);
  }
}

/** The ARN of the secret that AgentCore makes for a key that it is given. */
export function managedSecretArn(region: string, account: string, name: string): string {
  const secret = `bedrock-agentcore-identity!default/apikey/${name}-${randomText(6, lowerCase)}`;
  return `arn:aws:secretsmanager:${region}:${account}:secret:${secret}`;
}
