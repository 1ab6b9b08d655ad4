// The values of secrets, for the function that runs scripts.
import type { SecretOpener, SecretRecord, SecretStore } from "./secret.ts";

type Dependencies = { secrets: Pick<SecretStore, "get">; opener: SecretOpener };

/** Reads the values of the secrets that exist. A caller who needs all of them compares the names. */
export async function secretValues(
  { secrets, opener }: Dependencies,
  tenantId: string,
  names: readonly string[],
): Promise<Map<string, string>> {
  const values = new Map<string, string>();
  for (const name of new Set(names)) {
    const sealed = sealedValue(await secrets.get(tenantId, name));
    if (sealed !== undefined) values.set(name, await opener.open({ tenantId, name }, sealed));
  }
  return values;
}

function sealedValue(secret: SecretRecord | undefined): string | undefined {
  return secret?.removed_at === undefined ? secret?.sealed : undefined;
}
