// The values of secrets that an approved version's script gets, for the function that runs scripts.
import { type ApprovalRecord, secretInEffect } from "../skills/approval.ts";
import { secretsIn } from "../skills/environment.ts";
import type { SecretOpener, SecretStore } from "./secret.ts";

type Dependencies = { secrets: Pick<SecretStore, "get">; opener: SecretOpener };

/** @returns the values by the secrets' names, and the names of those that are not there any more as they were approved */
export async function approvedValues(
  { secrets, opener }: Dependencies,
  approval: ApprovalRecord,
): Promise<{ values: Map<string, string>; missing: string[] }> {
  const { tenant_id: tenantId } = approval;
  const values = new Map<string, string>();
  const missing: string[] = [];
  for (const name of secretsIn(approval.env)) {
    const current = await secrets.get(tenantId, name);
    const isThere = current !== undefined && current.removed_at === undefined;
    const sealed = secretInEffect(approval, name, isThere ? current : undefined)?.sealed;
    if (sealed === undefined) missing.push(name);
    else values.set(name, await opener.open({ tenantId, name }, sealed));
  }
  return { values, missing };
}
