// Creating once: the caller's key for a request is reserved together with the id of what will be created, before it is created.
import { createHash } from "node:crypto";
import { type Retention, retentionText } from "./retention.ts";

/** How long a key stands for its request. */
export const idempotencyRetention = { hours: 24 } as const satisfies Retention;

export type IdempotencyRecord = {
  /** SHA-256 of operation, scope and body. The same key with another request is refused. */
  request_hash: string;
  /** Id of what the request creates, the same for every repeat. */
  resource_id: string;
  /** The answer of the first attempt, once there is one. */
  answer?: unknown;
};

export interface IdempotencyStore {
  /** Writes the record unless an unexpired one exists; returns the stored one. */
  reserve(sub: string, key: string, record: IdempotencyRecord, now: number): Promise<IdempotencyRecord>;
  /** Keeps the answer for repeats. */
  answer(sub: string, key: string, answer: unknown): Promise<void>;
}

export type IdempotentRequest = {
  sub: string;
  key: string;
  /** Everything that tells this request from another one, e.g. `["POST /v1/tenants", body]`. */
  request: unknown;
  /** False if the answer must not be stored: a repeat then creates again with the first id, and `create` has to refuse it. */
  keepAnswer: boolean;
  now: number;
};

/** A creation that passed all checks. Only carrying it out uses up the request's key; a refused request leaves the key unused. */
export type Creation<Answer = unknown> = {
  /** The id for a first attempt. */
  newId: string;
  /** Creates with this id. A repeat gets the id of the first attempt and continues it. */
  create: (id: string) => Promise<Answer>;
};

/** The key was used already, and its first request cannot be answered again. */
export class KeyUsed extends Error {
  override name = "KeyUsed";
}

/**
 * Carries a creation out once for each key: a repeat gets the first answer.
 * @throws KeyUsed if the key was used for another request.
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
  const requestHash = createHash("sha256").update(JSON.stringify(request)).digest("hex");
  const record = await store.reserve(sub, key, { request_hash: requestHash, resource_id: newId }, now);
  if (record.request_hash === requestHash) return record;
  throw new KeyUsed(`it was used for another request within the last ${retentionText(idempotencyRetention)}`);
}
