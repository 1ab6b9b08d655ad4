// The way to the table: a document client that keeps its connections, and writes that are repeated after a conflict of transactions.
import { setTimeout as sleep } from "node:timers/promises";
import {
  ConditionalCheckFailedException,
  DynamoDBClient,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import { DynamoDBDocumentClient, TransactWriteCommand, type TransactWriteCommandInput } from "@aws-sdk/lib-dynamodb";
import { unmarshall } from "@aws-sdk/util-dynamodb";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { agents } from "../connections.ts";
import type { Key } from "./table.ts";

type DocumentOptions = {
  /** Attempts of the SDK for each call, including the first. */
  maxAttempts?: number;
  /** Timeout of one attempt. DynamoDB answers within tens of milliseconds, so a slower call is better repeated. */
  requestTimeoutMs?: number;
};

export function documentClient({ maxAttempts = 3, requestTimeoutMs = 2_000 }: DocumentOptions = {}) {
  const client = new DynamoDBClient({
    maxAttempts,
    requestHandler: {
      connectionTimeout: 1_000,
      requestTimeout: requestTimeoutMs,
      throwOnRequestTimeout: true,
      ...agents(),
    },
  });
  return DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
}

/** Attempts of a call that meets other transactions, including the first. */
export type Attempts = { maxAttempts: number };

const usual: Attempts = { maxAttempts: 5 };
/** For a row that many callers may write at once: about two seconds of pauses, four at most. */
export const contended: Attempts = { maxAttempts: 10 };
/** No repeat: the next round of an admission is another attempt (domain/budget/attempt.ts). */
export const once: Attempts = { maxAttempts: 1 };
const pauseMs = 40;
const longestPauseMs = 640;

export function pauseAfterConflict(attempt: number): Promise<void> {
  return sleep(Math.random() * Math.min(pauseMs * 2 ** (attempt - 1), longestPauseMs));
}

/**
 * Carries out a call to the store. A call that meets another transaction is repeated after a random pause that grows. This is the
 * only place that repeats after a conflict, but for admissions. A failed condition is thrown as it is.
 * @throws Refusal store_unavailable if the store does not answer or stays in conflict.
 */
export async function withRetries<T>(call: () => Promise<T>, { maxAttempts }: Attempts = usual): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (!isConflict(error)) throw isOutage(error) ? unavailable(error) : error;
      if (attempt === maxAttempts) throw unavailable(error);
      await pauseAfterConflict(attempt);
    }
  }
}

export type TransactItems = NonNullable<TransactWriteCommandInput["TransactItems"]>;

/**
 * Writes all or nothing.
 * @returns the position of the first item whose condition failed, or undefined if all is written.
 * @throws Refusal store_unavailable, as `withRetries`.
 */
export async function transact(
  client: DynamoDBDocumentClient,
  items: TransactItems,
  attempts?: Attempts,
): Promise<number | undefined> {
  return withRetries(() => attemptTransaction(client, items), attempts);
}

/** Like `transact`, but with one attempt. A conflict with another transaction is thrown as it is, for `withRetries`. */
export async function attemptTransaction(
  client: DynamoDBDocumentClient,
  items: TransactItems,
): Promise<number | undefined> {
  try {
    await client.send(new TransactWriteCommand({ TransactItems: items }));
    return undefined;
  } catch (error) {
    const failed = reasons(error).indexOf("ConditionalCheckFailed");
    if (failed < 0) throw error;
    return failed;
  }
}

/**
 * Carries out a single write.
 * @returns whether its condition held; if not, nothing is written.
 * @throws Refusal store_unavailable, as `withRetries`.
 */
export async function written(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await withRetries(write);
    return true;
  } catch (error) {
    if (error instanceof Error && error.name === "ConditionalCheckFailedException") return false;
    throw error;
  }
}

/**
 * The item that a failed condition met; empty if there was none. The write has to ask for it
 * (`ReturnValuesOnConditionCheckFailure`). @throws every other error
 */
export function itemMetBy(error: unknown): Record<string, unknown> {
  if (!(error instanceof ConditionalCheckFailedException)) throw error;
  return error.Item ? unmarshall(error.Item) : {};
}

/**
 * Whether an item of an index has the key that its record must have. Index keys are attributes that every writer may set on its own
 * rows, so only the item's own key proves what it is.
 */
export function hasKey(item: Record<string, unknown>, { pk, sk }: Key): boolean {
  return item.pk === pk && item.sk === sk;
}

function reasons(error: unknown): string[] {
  if (!(error instanceof TransactionCanceledException)) return [];
  return (error.CancellationReasons ?? []).map((reason) => reason.Code ?? "None");
}

const conflictReasons = ["TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"];

function isConflict(error: unknown): boolean {
  const codes = reasons(error);
  if (codes.includes("ConditionalCheckFailed")) return false;
  if (codes.some((code) => conflictReasons.includes(code))) return true;
  return error instanceof Error && /^Transaction(Conflict|InProgress)Exception$/.test(error.name);
}

/** Whether a write was refused because it met other transactions in each attempt. Nothing is written then. */
export function isLastingConflict(error: unknown): boolean {
  if (!(error instanceof Refusal)) return false;
  const { cause } = error;
  const isSingle = cause instanceof Error && cause.name === "TransactionConflictException";
  return isSingle || reasons(cause).includes("TransactionConflict");
}

/** Names of throttling errors. Their status is 400, and the SDK does not mark all of them as retryable. */
export const throttles = ["ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException"];

/** The SDK has given up: the service answered with 5xx or throttling, or not at all. */
function isOutage(error: unknown): boolean {
  const { $fault, $metadata, name } = error as Record<string, { httpStatusCode?: number } | string | undefined>;
  const unanswered = typeof $metadata === "object" && $metadata.httpStatusCode === undefined;
  return $fault === "server" || throttles.includes(String(name)) || unanswered;
}

export function unavailable(cause: unknown): Refusal {
  const message = "The platform's store does not answer right now, try again";
  return new Refusal("store_unavailable", message, { cause });
}
