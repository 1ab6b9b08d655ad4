// Creating once: a request's Idempotency-Key is claimed before anything is created, with the id of what will be.
import { createHash } from "node:crypto";
import { Refusal } from "./refusal.ts";

/** How long a key is remembered. */
export const idempotencyHours = 24;

export type IdempotencyRecord = {
  /** Of operation and body; the same key with another request is a mistake. */
  request_hash: string;
  /** The id of what the request creates, the same for every repeat. */
  resource_id: string;
  /** What was answered, once it was. */
  answer?: unknown;
};

export interface IdempotencyStore {
  /** Writes the claim unless there is one that has not expired; gives the one that counts. */
  reserve(sub: string, key: string, claim: IdempotencyRecord, now: number): Promise<IdempotencyRecord>;
  /** Keeps what was answered, for repeats. */
  answer(sub: string, key: string, answer: unknown): Promise<void>;
}

export type IdempotentRequest = {
  sub: string;
  key: string;
  /** What is asked for, e.g. `["POST /v1/tenants", body]`. */
  request: unknown;
  /** The id to use if this is the first time. */
  resourceId: string;
  now: number;
};

/** @throws Refusal conflict if the key was used for another request. */
export async function reserveKey(store: IdempotencyStore, claiming: IdempotentRequest): Promise<IdempotencyRecord> {
  const request_hash = createHash("sha256").update(JSON.stringify(claiming.request)).digest("hex");
  const mine = { request_hash, resource_id: claiming.resourceId };
  const claim = await store.reserve(claiming.sub, claiming.key, mine, claiming.now);
  if (claim.request_hash === request_hash) return claim;
  throw new Refusal("conflict", "idempotency-key: it was used for another request within the last 24 hours");
}
