// A tenant's own encryption key: how it is named and tagged, how it comes to be exactly once, and how it goes.
import { Refusal } from "../kernel/refusal.ts";
import type { Tenant } from "../workspace/tenant.ts";
import { claimMs, type SetupManifest } from "./setup-manifest.ts";

/** The tag by which the account's bill tells tenants apart too (components/proxy/model-host.ts). */
export const tenantTag = "tenant_id";
export const stackTag = "archway_stack";

/** The longest notice that KMS gives: until its end the deletion can be cancelled. */
export const deletionDays = 30;

export function keyAlias(stack: string, tenantId: string): string {
  return `alias/archway/${stack}/${tenantId}`;
}

export interface TenantKeys {
  /** The ARN of the key that has the tenant's alias. */
  named(tenantId: string): Promise<string | undefined>;
  /** The keys with the tenant's tag that are not pending deletion. A key that was just made may be missing. */
  tagged(tenantId: string): Promise<string[]>;
  /** Makes a key with tags and policy. Each call makes another key. */
  create(tenantId: string): Promise<string>;
  /** Gives the key the tenant's alias, unless another key has it. */
  name(tenantId: string, arn: string): Promise<void>;
  /** Disables the key and schedules its deletion, and takes the alias away. False if that was done before, or it is gone. */
  remove(arn: string): Promise<boolean>;
  /** Removes the alias. Nothing happens if there is none. */
  unname(tenantId: string): Promise<void>;
}

/**
 * The effect `kms_key`: afterwards the tenant has one key, with its alias. Repeating it changes nothing.
 * @throws Refusal changed_meanwhile while another run holds the step
 */
export function keyEffect(deps: { keys: TenantKeys; manifest: SetupManifest; clock: () => number }) {
  const { keys, manifest, clock } = deps;
  return async ({ tenant_id: tenantId }: Tenant): Promise<void> => {
    const now = clock();
    const claim = await manifest.claim(tenantId, "kms_key", { now, until: now + claimMs });
    if (claim === "taken") throw new Refusal("changed_meanwhile", "The workspace's key is being made by another run");
    if (claim === "gone") return;
    // KMS takes no idempotency key, so a key of an earlier run is looked for by alias, by the manifest's note and by tag.
    const tagged = claim.isRepeat ? await keys.tagged(tenantId) : [];
    const arn =
      (claim.isRepeat ? await keys.named(tenantId) : undefined) ??
      claim.resource ??
      tagged[0] ??
      (await keys.create(tenantId));
    const noted = await manifest.note(tenantId, "kms_key", { resource: arn, until: claim.until });
    if (!noted) throw new Error(`the key of tenant ${tenantId} was made by a run that was too slow`);
    await keys.name(tenantId, arn);
    await manifest.done(tenantId, "kms_key", { resource: arn, until: claim.until, attributes: { kms_cmk_arn: arn } });
    for (const other of tagged) if (other !== arn) await keys.remove(other);
  };
}

/** Removes every key of the tenant. @returns how many this run removed */
export async function removeKeys(keys: TenantKeys, tenantId: string, known: string | undefined): Promise<number> {
  const found = [known, await keys.named(tenantId), ...(await keys.tagged(tenantId))];
  let removed = 0;
  for (const arn of new Set(found.filter((one) => one !== undefined))) if (await keys.remove(arn)) removed += 1;
  await keys.unname(tenantId);
  return removed;
}
