// One DynamoDB table in memory: commands of the document client in, their answers or the SDK's errors out, at once. What it is
// not asked for by this project's adapters it does not know, and says so.
import {
  ConditionalCheckFailedException,
  DynamoDBServiceException,
  TransactionCanceledException,
} from "@aws-sdk/client-dynamodb";
import {
  BatchGetCommand,
  DeleteCommand,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandInput,
  TransactWriteCommand,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import { marshall } from "@aws-sdk/util-dynamodb";
import { condition } from "./condition.ts";
import { query } from "./query.ts";
import type { Bindings, Item, Mentioned } from "./tokens.ts";
import { type Change, copied, InvalidUpdate, update } from "./update.ts";

type Expressions = {
  ConditionExpression?: string | undefined;
  UpdateExpression?: string | undefined;
  ExpressionAttributeNames?: Record<string, string> | undefined;
  ExpressionAttributeValues?: Item | undefined;
};
/** A Put, Update, Delete or ConditionCheck, alone or in a transaction. */
type WriteInput = Expressions & {
  Item?: Item | undefined;
  Key?: Item | undefined;
  ReturnValuesOnConditionCheckFailure?: string | undefined;
};
type WriteKind = "Put" | "Update" | "Delete" | "ConditionCheck";
type Write = { kind: WriteKind; input: WriteInput };
type Planned = { key: string; before: Item | undefined; after: Item | undefined };

const nothingMentioned: Mentioned = { names: new Set(), values: new Set() };
const keyNames = ["pk", "sk"];

export class MemoryTable {
  readonly #items = new Map<string, Item>();
  /** The items of each partition, by their names. */
  readonly #partitions = new Map<unknown, Map<string, Item>>();
  /** Called after each write, for whoever watches the table. */
  onWrite: (before: Item | undefined, after: Item | undefined) => void = () => {};

  get items(): IterableIterator<Item> {
    return this.#items.values();
  }

  /** Items are never changed, only replaced: what is given out may be kept. */
  get(key: Item): Item | undefined {
    return this.#items.get(nameOf(key));
  }

  /** What was there before whoever is watched began. */
  put(item: Item): void {
    this.#set(nameOf(item), item);
  }

  #set(key: string, item: Item): void {
    this.#items.set(key, item);
    const partition = this.#partitions.get(item.pk) ?? new Map<string, Item>();
    this.#partitions.set(item.pk, partition.set(key, item));
  }

  /** @throws ConditionalCheckFailedException, TransactionCanceledException, DynamoDBServiceException (validation) */
  execute(command: object): object {
    if (command instanceof UpdateCommand) {
      const { before, after } = this.#writeOne({ kind: "Update", input: command.input });
      return returned(command.input.ReturnValues, before, after);
    }
    if (command instanceof GetCommand) {
      const item = this.get(command.input.Key as Item);
      return item ? { Item: item } : {};
    }
    if (command instanceof PutCommand) {
      const { before, after } = this.#writeOne({ kind: "Put", input: command.input });
      return returned(command.input.ReturnValues, before, after);
    }
    if (command instanceof DeleteCommand) {
      const { before } = this.#writeOne({ kind: "Delete", input: command.input });
      return returned(command.input.ReturnValues, before, undefined);
    }
    if (command instanceof TransactWriteCommand) return this.#transact(command.input.TransactItems ?? []);
    if (command instanceof QueryCommand) return this.#query(command.input);
    if (command instanceof BatchGetCommand) return this.#batchGet(command.input.RequestItems ?? {});
    throw new Error(`The table in memory does not know ${command.constructor.name}`);
  }

  #writeOne({ kind, input }: Write): Planned {
    const planned = this.#validPlan({ kind, input });
    if (planned === "failed") {
      const standing = input.ReturnValuesOnConditionCheckFailure === "ALL_OLD" ? this.#at(input) : undefined;
      throw new ConditionalCheckFailedException({
        message: "The conditional request failed",
        $metadata: { httpStatusCode: 400 },
        ...(standing && { Item: marshall(standing) }),
      });
    }
    this.#commit(planned);
    return planned;
  }

  /** All conditions first, then all effects. */
  #transact(items: object[]): object {
    const writes = items.map((item) => {
      const [kind, input] = Object.entries(item)[0] as [WriteKind, WriteInput];
      return { kind, input };
    });
    const names = writes.map(({ input }) => nameOf(keyOf(input)));
    if (new Set(names).size < names.length) {
      throw invalid("Transaction request cannot include multiple operations on one item");
    }
    const planned: Planned[] = [];
    const reasons = writes.map((write) => {
      const { reason, plan } = this.#inTransaction(write);
      if (plan) planned.push(plan);
      return reason;
    });
    if (planned.length < writes.length) {
      throw new TransactionCanceledException({
        message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${reasons.map(({ Code }) => Code).join(", ")}]`,
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: reasons,
      });
    }
    for (const plan of planned) this.#commit(plan);
    return {};
  }

  #validPlan(write: Write): Planned | "failed" {
    try {
      return this.#plan(write);
    } catch (error) {
      throw error instanceof InvalidUpdate ? invalid(error.message) : error;
    }
  }

  #inTransaction(write: Write) {
    const { input } = write;
    try {
      const plan = this.#plan(write);
      if (plan !== "failed") return { reason: { Code: "None" }, plan };
      const standing = input.ReturnValuesOnConditionCheckFailure === "ALL_OLD" ? this.#at(input) : undefined;
      const reason = { Code: "ConditionalCheckFailed", Message: "The conditional request failed" };
      return { reason: { ...reason, ...(standing && { Item: marshall(standing) }) } };
    } catch (error) {
      // What is wrong with the expression itself is refused before anything is looked at.
      if (!(error instanceof InvalidUpdate)) throw error;
      return { reason: { Code: "ValidationError", Message: error.message } };
    }
  }

  #at(input: WriteInput): Item | undefined {
    return this.#items.get(nameOf(keyOf(input)));
  }

  #plan({ kind, input }: Write): Planned | "failed" {
    const bindings = bindingsOf(input);
    const before = this.#at(input);
    const guard = input.ConditionExpression === undefined ? undefined : read(condition, input.ConditionExpression);
    const change = kind === "Update" && input.UpdateExpression ? read(update, input.UpdateExpression) : undefined;
    check(bindings, [guard?.mentioned ?? nothingMentioned, change?.mentioned ?? nothingMentioned]);
    if (change?.overlaps(bindings)) throw invalid("Two document paths overlap with each other");
    if (guard && !guard.holds(before, bindings)) return "failed";
    const key = nameOf(keyOf(input));
    switch (kind) {
      case "Put":
        return { key, before, after: copied(input.Item as Item) };
      case "Delete":
        return { key, before, after: undefined };
      case "ConditionCheck":
        return { key, before, after: before };
      case "Update":
        return { key, before, after: changed(before ?? copied(input.Key as Item), bindings, change?.change) };
    }
  }

  #commit({ key, before, after }: Planned): void {
    if (before === after) return;
    if (after) this.#set(key, after);
    else {
      this.#items.delete(key);
      this.#partitions.get(before?.pk)?.delete(key);
    }
    this.onWrite(before, after);
  }

  #query(input: QueryCommandInput): object {
    check(
      bindingsOf(input),
      [input.KeyConditionExpression, input.FilterExpression].map((expression) =>
        expression === undefined ? nothingMentioned : read(condition, expression).mentioned,
      ),
    );
    const bindings = bindingsOf(input);
    const all = input.IndexName === undefined ? this.#named(Object.values(bindings.values)) : this.#items.values();
    return query(all, input, bindings);
  }

  /** The items of the partitions that are named by one of the values. */
  #named(values: unknown[]): Item[] {
    return values.flatMap((value) => [...(this.#partitions.get(value)?.values() ?? [])]);
  }

  #batchGet(requests: Record<string, { Keys?: Item[] | undefined }>): object {
    const answers = Object.entries(requests).map(([table, { Keys = [] }]) => {
      return [table, Keys.map((key) => this.get(key)).filter((item) => item !== undefined)];
    });
    return { Responses: Object.fromEntries(answers), UnprocessedKeys: {} };
  }
}

function changed(before: Item, bindings: Bindings, change: Change | undefined): Item {
  if (!change) return { ...before };
  const after = change(before, bindings);
  if (keyNames.some((name) => after[name] !== before[name])) throw invalid("Cannot update a part of the key");
  return after;
}

function returned(wanted: string | undefined, before: Item | undefined, after: Item | undefined): object {
  if (wanted === "ALL_NEW") return after ? { Attributes: after } : {};
  if (wanted === "ALL_OLD") return before ? { Attributes: before } : {};
  if (wanted === undefined || wanted === "NONE") return {};
  throw new Error(`The table in memory does not return ${wanted}`);
}

function keyOf({ Key, Item }: WriteInput): Item {
  return (Key ?? Item) as Item;
}

function nameOf({ pk, sk }: Item): string {
  if (typeof pk !== "string" || typeof sk !== "string" || pk === "" || sk === "") throw invalid("The key is bad");
  return `${pk}\0${sk}`;
}

function bindingsOf({ ExpressionAttributeNames = {}, ExpressionAttributeValues = {} }: Expressions): Bindings {
  return { names: ExpressionAttributeNames, values: ExpressionAttributeValues };
}

function read<T>(reader: (expression: string) => T, expression: string): T {
  try {
    return reader(expression);
  } catch (error) {
    throw invalid(String(error));
  }
}

/** A request brings each name and value that its expressions mention, and no others. */
function check({ names, values }: Bindings, mentioned: Mentioned[]): void {
  const problem = (kind: "names" | "values", given: Record<string, unknown>) => {
    for (const name in given) {
      const isUsed = given[name] === undefined || mentioned.some((each) => each[kind].has(name));
      if (!isUsed) throw invalid(`${name} is in no expression`);
    }
    for (const each of mentioned) {
      for (const name of each[kind]) if (given[name] === undefined) throw invalid(`${name} is not defined`);
    }
  };
  problem("names", names);
  problem("values", values);
}

function invalid(message: string): DynamoDBServiceException {
  const $metadata = { httpStatusCode: 400 };
  return new DynamoDBServiceException({ name: "ValidationException", message, $fault: "client", $metadata });
}
