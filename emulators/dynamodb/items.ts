// Reads and writes items by the actions of dynalite. A write is planned first, which changes nothing, and then committed.
import { AwsError } from "../aws/service.ts";
import { database, type Item, type ItemOperation, type Request, refuse, runAction, type Write } from "./dynalite.ts";
import { ItemLocks } from "./locks.ts";
import type { ItemRequest } from "./requests.ts";
import { Staging } from "./staging.ts";
import { itemSpace, type Storage } from "./storage.ts";
import type { Tables } from "./tables.ts";
import type { TimeToLive } from "./time-to-live.ts";

export type WriteOperation = "PutItem" | "UpdateItem" | "DeleteItem";

/** The answer of a write and the changes that it would make. */
export type Plan = {
  table: string;
  answer: object;
  writes: Write[];
  /** The item before the write, if there is one. */
  existing: Item | undefined;
  /** The item after the write, if it is put. */
  image: Item | undefined;
};

export class Items {
  readonly locks = new ItemLocks();
  readonly #storage: Storage;
  readonly #tables: Tables;
  readonly #timeToLive: TimeToLive;

  constructor(storage: Storage, tables: Tables, timeToLive: TimeToLive) {
    this.#storage = storage;
    this.#tables = tables;
    this.#timeToLive = timeToLive;
  }

  /** GetItem, BatchGetItem, Query and Scan. */
  read(operation: ItemOperation, request: Request): Promise<object> {
    return runAction(operation, new Staging(this.#storage, this.#tables), request);
  }

  /** A write on one item, after the earlier ones on it. @throws AwsError, TransactionConflictException among others. */
  async write(operation: WriteOperation, request: ItemRequest): Promise<object> {
    const item = this.keyOf(request);
    if (this.locks.isInTransaction(item)) {
      throw new AwsError("TransactionConflictException", "Transaction is ongoing for the item");
    }
    return this.locks.takeTurn(item, async () => {
      const plan = await this.plan(operation, request);
      await this.commit([plan]);
      return plan.answer;
    });
  }

  /**
   * The storage key of the item that a request is about.
   * @throws AwsError if the table is unknown or the key does not fit it.
   */
  keyOf({ TableName, Item, Key }: ItemRequest): string {
    const { schema } = this.#tables.get(TableName);
    if (Item) refuse(database.validateItem(Item, schema));
    if (Key) refuse(database.validateKey(Key, schema));
    return itemSpace(TableName) + database.createKey((Item ?? Key) as Item, schema);
  }

  /** Plans a write. @throws AwsError as DynamoDB refuses it. */
  async plan(operation: WriteOperation, request: ItemRequest): Promise<Plan> {
    const staging = new Staging(this.#storage, this.#tables);
    try {
      const answer = await runAction(operation, staging, request);
      const { writes, existing, image } = staging;
      return { table: request.TableName, answer, writes, existing, image };
    } catch (error) {
      throw withItem(error, request, staging.existing);
    }
  }

  /** Writes plans and further keys in one batch, all or nothing. */
  async commit(plans: Plan[], further: Write[] = []): Promise<void> {
    await this.#storage.write([...plans.flatMap((plan) => plan.writes), ...further]);
    for (const { table, image } of plans) if (image) this.#timeToLive.noteItem(table, image);
  }
}

/** Adds the item to a failed condition if the request asks for it. */
function withItem(error: unknown, request: ItemRequest, existing: Item | undefined): unknown {
  const wanted = request.ReturnValuesOnConditionCheckFailure === "ALL_OLD" && existing;
  if (!wanted || !(error instanceof AwsError) || error.code !== "ConditionalCheckFailedException") return error;
  return new AwsError(error.code, error.message, error.status, { Item: existing });
}
