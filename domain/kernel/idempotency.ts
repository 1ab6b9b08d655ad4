// Creating once: a request's Idempotency-Key is reserved before anything is created, with the id of what will be.
import { createHash } from "node:crypto";
import { fieldRefusal } from "./refusal.ts";

/** How long a key is remembered. */
export const idempotencyHours = 24;

export type IdempotencyRecord = {
  /** Of operation, scope and body; the same key with another request is a mistake. */
  request_hash: string;
  /** The id of what the request creates, the same for every repeat. */
  resource_id: string;
  /** What was answered, once it was. */
  answer?: unknown;
};

export interface IdempotencyStore {
  /** Writes the record unless there is one that has not expired; gives the one that counts. */
  reserve(sub: string, key: string, record: IdempotencyRecord, now: number): Promise<IdempotencyRecord>;
  /** Keeps what was answered, for repeats. */
  answer(sub: string, key: string, answer: unknown): Promise<void>;
}

export type IdempotentRequest = {
  sub: string;
  key: string;
  /** What is asked for, e.g. `["POST /v1/tenants", body]`. */
  request: unknown;
  /** False if the answer must be kept nowhere: a repeat creates again, with the first id, and has to notice it. */
  keepAnswer: boolean;
  now: number;
};

/** Something that is to be created, after all that may refuse it was checked: only from here on does a request use its key up. */
export type Creation<Answer = unknown> = {
  /** The id for a first attempt. */
  newId: string;
  /** Creates with this id. A repeat gets the id of the first attempt and goes on where that one was cut off. */
  create: (id: string) => Promise<Answer>;
};

/**
 * Carries a creation out once for each key: a repeat gets the first answer.
 * @throws Refusal conflict if the key was used for another request.
 */
export async function createOnce(
  store: IdempotencyStore,
  request: IdempotentRequest,
  { newId, create }: Creation,
): Promise<unknown> {
  const record = await reserveKey(store, request, newId);
  if (record.answer !== undefined) return record.answer;
  const answer = await create(record.resource_id);
  if (request.keepAnswer) await store.answer(request.sub, request.key, answer);
  return answer;
}

async function reserveKey(
  store: IdempotencyStore,
  { sub, key, request, now }: IdempotentRequest,
  newId: string,
): Promise<IdempotencyRecord> {
  const request_hash = createHash("sha256").update(JSON.stringify(request)).digest("hex");
  const record = await store.reserve(sub, key, { request_hash, resource_id: newId }, now);
  if (record.request_hash === request_hash) return record;
  throw fieldRefusal("conflict", "idempotency-key", "it was used for another request within the last 24 hours");
}
