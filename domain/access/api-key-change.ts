// Changes of an API key: what may be asked for, and what becomes of the key.
import { isDeepStrictEqual } from "node:util";
import * as z from "zod";
import { fields } from "../kernel/validation.ts";
import { type ApiKey, type ApiKeyRotation, apiKeyEnd, apiKeyName } from "./api-key.ts";
import { grantBody } from "./grant.ts";

/** The body of PATCH /v1/keys/{key_id}. What is not named stays; `expires_at: null` takes the end away. */
export const apiKeyPatch = fields({
  name: apiKeyName.optional(),
  expires_at: apiKeyEnd.nullable().optional(),
  grant: grantBody.optional(),
}).refine(({ name, expires_at, grant }) => name !== undefined || expires_at !== undefined || grant !== undefined, {
  error: "names nothing to change, allowed: name, expires_at, grant",
});

export type ApiKeyPatch = z.output<typeof apiKeyPatch>;

const maxOverlapSeconds = 7 * 24 * 3600;
const overlapMessage = `must be 0 to ${maxOverlapSeconds}, which is 7 days`;

/** The body of POST /v1/keys/{key_id}/rotate. The new key ends as the old one would have, unless `expires_at` says otherwise. */
export const apiKeyRotationBody = fields({
  /** How long the old key is still good. */
  overlap_seconds: z
    .int()
    .min(0, overlapMessage)
    .max(maxOverlapSeconds, overlapMessage)
    .default(24 * 3600),
  expires_at: apiKeyEnd.nullable().optional(),
});

/** @param now in milliseconds */
export function isGood({ status, expires_at }: ApiKey, now: number): boolean {
  return status === "active" && !isPast(expires_at, now);
}

/** Whether an end is over; none never is. */
export function isPast(end: string | undefined, now: number): boolean {
  return end !== undefined && Date.parse(end) <= now;
}

/** The key itself, if nothing of it changes. */
export function patched(key: ApiKey, { name, expires_at, grant }: ApiKeyPatch): ApiKey {
  const after = { ...withEnd(key, expires_at), ...(name !== undefined && { name }), ...(grant && { grant }) };
  return isDeepStrictEqual(after, key) ? key : { ...after, version: key.version + 1 };
}

type Successor = Pick<ApiKey, "key_id" | "hash" | "last4" | "created_by">;

/** The caller stays the same, and what it has spent with it. @param now in milliseconds */
export function rotation(
  old: ApiKey,
  successor: Successor,
  asked: z.output<typeof apiKeyRotationBody>,
  now: number,
): ApiKeyRotation {
  const overlapEnd = new Date(now + asked.overlap_seconds * 1000).toISOString();
  const { replaced_by: _replaced, ...lasting } = old;
  return {
    old,
    oldEndsAt: old.expires_at !== undefined && old.expires_at < overlapEnd ? old.expires_at : overlapEnd,
    successor: {
      ...withEnd(lasting, asked.expires_at),
      ...successor,
      created_at: new Date(now).toISOString(),
      version: 1,
    },
  };
}

/** @param end null for none, undefined for the one that the key has */
function withEnd(key: ApiKey, end: string | null | undefined): ApiKey {
  if (end === undefined) return key;
  const { expires_at: _before, ...endless } = key;
  return end === null ? endless : { ...endless, expires_at: end };
}
