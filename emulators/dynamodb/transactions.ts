// TransactWriteItems: all or nothing, in memory and on the disk. A transaction that meets an item
// of another is cancelled at once.
import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { AwsError } from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import { cancelled, conflict, type Reason } from "./cancellation.ts";
import { database, type Item, type Request } from "./dynalite.ts";
import type { Items, Plan, WriteOperation } from "./items.ts";
import { actionOperations, actionsOf, type ItemRequest, type TransactionKind } from "./requests.ts";
import type { Storage } from "./storage.ts";

type Action = { kind: TransactionKind; action: ItemRequest };
type Token = { digest: string; expires: number };

/** Lifetime of a ClientRequestToken on DynamoDB. */
const tokenLifetimeMs = 10 * 60 * 1000;
/** Limit of DynamoDB for all items of a transaction. */
const maxTransactionBytes = 4 * 1024 * 1024;
/** Duration of a transaction; on DynamoDB it is longer. Without it, callers that conflict on AWS would never conflict here. */
const transactionMs = 5;
const tokenPrefix = "token~";
const fine: Reason = { Code: "None" };

export class Transactions {
  readonly #storage: Storage;
  readonly #items: Items;
  readonly #clock: Clock;
  readonly #tokensInProgress = new Set<string>();

  constructor(storage: Storage, items: Items, clock: Clock) {
    this.#storage = storage;
    this.#items = items;
    this.#clock = clock;
  }

  /** TransactWriteItems. With a ClientRequestToken, the same request again succeeds without effect. */
  async write(request: Request): Promise<object> {
    const token = request.ClientRequestToken as string | undefined;
    if (token === undefined) return this.#write(actionsOf(request));
    const digest = createHash("sha256").update(JSON.stringify(request.TransactItems)).digest("base64");
    if (this.#isDone(token, digest)) return {};
    this.#tokensInProgress.add(token);
    try {
      return await this.#write(actionsOf(request), { key: tokenPrefix + token, digest });
    } finally {
      this.#tokensInProgress.delete(token);
    }
  }

  /** Deletes expired tokens. */
  async deleteExpiredTokens(): Promise<void> {
    const now = this.#clock.now();
    for await (const [key, token] of this.#storage.entries(tokenPrefix)) {
      if ((token as Token).expires <= now) await this.#storage.write([{ type: "del", key }]);
    }
  }

  async #write(actions: Action[], token?: { key: string; digest: string }): Promise<object> {
    const keys = this.#keysOf(actions);
    const { locks } = this.#items;
    cancelUnlessFine(keys.map((key) => (locks.isInTransaction(key) ? conflict : fine)));
    return locks.holdAll(keys, async () => {
      await setTimeout(transactionMs);
      const outcomes = await Promise.all(actions.map((action) => this.#plan(action)));
      cancelUnlessFine(outcomes.map((outcome) => ("Code" in outcome ? outcome : fine)));
      const plans = outcomes as Plan[];
      checkSize(plans.map((plan) => plan.image ?? plan.existing));
      const value = token && ({ digest: token.digest, expires: this.#clock.now() + tokenLifetimeMs } satisfies Token);
      await this.#items.commit(plans, token ? [{ type: "put", key: token.key, value }] : []);
      return {};
    });
  }

  /** The plan of an action, or the reason why the transaction must be cancelled. */
  async #plan({ kind, action }: Action): Promise<Plan | Reason> {
    try {
      const plan = await this.#items.plan(actionOperations[kind] as WriteOperation, action);
      return kind === "ConditionCheck" ? { ...plan, writes: [] } : plan;
    } catch (error) {
      return reasonOf(error);
    }
  }

  /** The storage keys of the items. @throws AwsError for a bad key or two equal keys */
  #keysOf(actions: Action[]): string[] {
    const outcomes = actions.map(({ action }) => {
      try {
        return this.#items.keyOf(action);
      } catch (error) {
        // DynamoDB refuses the request for an empty key; other bad keys cancel the transaction.
        if (error instanceof AwsError && error.message.includes("cannot contain an empty")) throw error;
        return reasonOf(error);
      }
    });
    cancelUnlessFine(outcomes.map((outcome) => (typeof outcome === "string" ? fine : outcome)));
    const keys = outcomes as string[];
    if (new Set(keys).size === keys.length) return keys;
    throw new AwsError("ValidationException", "Transaction request cannot include multiple operations on one item");
  }

  #isDone(token: string, digest: string): boolean {
    if (this.#tokensInProgress.has(token)) {
      throw new AwsError(
        "TransactionInProgressException",
        "The transaction with the given request token is already in progress.",
      );
    }
    const done = this.#storage.get(tokenPrefix + token) as Token | undefined;
    if (!done || done.expires <= this.#clock.now()) return false;
    if (done.digest === digest) return true;
    throw new AwsError(
      "IdempotentParameterMismatchException",
      "Request rejected because it was retried with a request token that was already used, but with other parameters",
    );
  }
}

const reasonCodes: Record<string, string> = {
  ConditionalCheckFailedException: "ConditionalCheckFailed",
  ValidationException: "ValidationError",
};

/** The reason for cancellation that a refusal gives. Every other error is thrown on. */
function reasonOf(error: unknown): Reason {
  const Code = error instanceof AwsError ? reasonCodes[error.code] : undefined;
  if (Code === undefined) throw error;
  return { Code, Message: (error as AwsError).message, ...(error as AwsError).members };
}

function cancelUnlessFine(reasons: Reason[]): void {
  if (reasons.some((reason) => reason.Code !== "None")) throw cancelled(reasons);
}

function checkSize(items: (Item | undefined)[]): void {
  const size = items.reduce((sum, item) => sum + (item ? database.itemSize(item) : 0), 0);
  if (size <= maxTransactionBytes) return;
  throw new AwsError("ValidationException", "The aggregate size of the items in the transaction exceeds 4 MB");
}
