// Rotates API keys: the same caller gets a new key, and the old one ends after an overlap.

import * as z from "zod";
import type { Actor } from "../access/access-rule.ts";
import {
  type ApiKey,
  type ApiKeyRotation,
  type ApiKeyStore,
  apiKeyEnd,
  versionOf,
  withEnd,
} from "../access/api-key.ts";
import type { GrantStore } from "../access/grant.ts";
import { mintApiKey, mintApiKeyId, type Random } from "../access/key-text.ts";
import type { Creation } from "../kernel/idempotency.ts";
import { dayMs } from "../kernel/period.ts";
import { requireVersion } from "../kernel/precondition.ts";
import { fieldRefusal, type Refusal } from "../kernel/refusal.ts";
import { fields } from "../kernel/validation.ts";
import { entryBy } from "../workspace/audit.ts";
import {
  changedMeanwhile,
  noMember,
  requireActiveKey,
  requireFuture,
  requireGrant,
  requireKey,
  tooManyKeys,
} from "./key-access.ts";
import { type ShownApiKey, shownBefore } from "./key-creation.ts";

const maxOverlapSeconds = (7 * dayMs) / 1000;
const overlapMessage = `must be 0 to ${maxOverlapSeconds}, which is 7 days`;

/** The body of POST /v1/keys/{key_id}/rotate. Without `expires_at` the new key gets the end that the old key had. */
export const apiKeyRotationBody = fields({
  overlap_seconds: z
    .int()
    .min(0, overlapMessage)
    .max(maxOverlapSeconds, overlapMessage)
    .default(dayMs / 1000)
    .describe("Seconds during which the old key stays valid. With 0 the old key is refused within 60 seconds"),
  expires_at: apiKeyEnd
    .nullable()
    .optional()
    .describe("When the new key expires; `null`: never. By default when the old key would have expired"),
}).meta({ id: "ApiKeyRotationBody", description: "How a key is rotated" });

type RotationRequest = z.output<typeof apiKeyRotationBody>;
type Successor = Pick<ApiKey, "key_id" | "hash" | "last4" | "created_by">;

/** The successor has the caller of the old key, so what the caller has spent still counts. @param now in milliseconds */
export function rotation(old: ApiKey, successor: Successor, request: RotationRequest, now: number): ApiKeyRotation {
  const overlapEnd = new Date(now + request.overlap_seconds * 1000).toISOString();
  return {
    old,
    oldEndsAt: old.expires_at !== undefined && old.expires_at < overlapEnd ? old.expires_at : overlapEnd,
    successor: {
      ...withEnd(old, request.expires_at),
      ...successor,
      created_at: new Date(now).toISOString(),
      version: 1,
    },
  };
}

export type KeyRotationDependencies = {
  apiKeys: Pick<ApiKeyStore, "get" | "rotate">;
  grants: Pick<GrantStore, "get">;
  hashApiKey: (key: string) => Promise<string>;
  clock: () => number;
  newId: () => string;
  random: Random;
};

type RotatedApiKey = ShownApiKey & { replaces: { key_id: string; expires_at: string } };

/** @throws Refusal */
export async function rotateKey(
  deps: KeyRotationDependencies,
  actor: Actor,
  keyId: string,
  request: RotationRequest,
  expected: readonly string[] | undefined,
): Promise<Creation<RotatedApiKey>> {
  const key = await requireKey(deps.apiKeys, actor, keyId);
  requireFuture(request.expires_at, deps.clock());
  if (key.role !== "service_account") {
    if (key.caller_id !== actor.sub) {
      const advice = "revoke it, and let the person create another";
      throw fieldRefusal("role_missing", "key_id", `a person's key is rotated by that person alone; ${advice}`);
    }
    await requireGrant(deps.grants, actor);
  }
  return {
    newId: mintApiKeyId(deps.random),
    create: (newKeyId) => rotate(deps, actor, { oldKeyId: keyId, newKeyId }, request, expected),
  };
}

async function rotate(
  deps: KeyRotationDependencies,
  actor: Actor,
  { oldKeyId, newKeyId }: { oldKeyId: string; newKeyId: string },
  request: RotationRequest,
  expected: readonly string[] | undefined,
): Promise<RotatedApiKey> {
  const { apiKeys, hashApiKey, clock, random } = deps;
  if (await apiKeys.get(newKeyId)) throw shownBefore(newKeyId);
  const old = await requireActiveKey(deps, actor, oldKeyId);
  requireVersion(expected, versionOf(old));
  if (old.replaced_by !== undefined) throw wasReplaced(old.key_id, old.replaced_by);
  const { key, last4 } = mintApiKey(old.mode, newKeyId, random);
  const now = clock();
  const made = { key_id: newKeyId, hash: await hashApiKey(key), last4, created_by: actor.sub };
  const change = rotation(old, made, request, now);
  const { successor, oldEndsAt } = change;
  const before = { expires_at: old.expires_at };
  const after = { expires_at: oldEndsAt, replaced_by: newKeyId, successor_expires_at: successor.expires_at };
  const entry = entryBy(deps, actor, { action: "key.rotate", target: oldKeyId, before, after });
  const outcome = await apiKeys.rotate(change, now, entry);
  if (outcome === "rotated") return { ...successor, key, replaces: { key_id: oldKeyId, expires_at: oldEndsAt } };
  if (outcome === "no_member") throw noMember();
  if (outcome === "full") throw tooManyKeys("revoke one, or rotate with overlap_seconds 0");
  if (outcome === "taken") throw shownBefore(newKeyId);
  requireVersion(expected, versionOf(await requireKey(apiKeys, actor, oldKeyId)));
  throw changedMeanwhile(oldKeyId);
}

/** A key is rotated once: a second successor would be a live key that nobody looks for. */
function wasReplaced(keyId: string, successor: string): Refusal {
  return fieldRefusal(
    "key_replaced",
    "key_id",
    `the key ${keyId} was replaced by ${successor} already; rotate that one`,
  );
}
