// DynamoDB for the items of the declared tables: the checks and actions of dynalite called in process, with transactions, conflicts,
// time to live, atomic writes and IAM rights added.
import { crc32 } from "node:zlib";
import {
  type Authorization,
  AwsError,
  type AwsRequest,
  type AwsResponse,
  type AwsService,
  jsonAnswer,
  jsonFailure,
  targetOperation,
} from "../aws/service.ts";
import type { Clock } from "../clock.ts";
import { rightsOf } from "./authorizations.ts";
import { readDeclaration, schemaDifferences } from "./declaration.ts";
import type { Item, Request } from "./dynalite.ts";
import { rememberExpressions } from "./expressions.ts";
import { Items } from "./items.ts";
import { type ItemRequest, isOperation, readRequest } from "./requests.ts";
import { Storage, startingAnew, unusableFolder } from "./storage.ts";
import { Tables } from "./tables.ts";
import { TimeToLive } from "./time-to-live.ts";
import { Transactions } from "./transactions.ts";

rememberExpressions();

export class DynamoDb implements AwsService {
  readonly signingName = "dynamodb";
  readonly #storage: Storage;
  readonly #tables: Tables;
  readonly #items: Items;
  readonly #transactions: Transactions;
  readonly #timeToLive: TimeToLive;
  /** Settles when the last sweep has ended. */
  #swept: Promise<unknown> = Promise.resolve();
  #isClosed = false;
  /** Requests that `authorizations` has checked and `handle` has not carried out yet. */
  readonly #read = new WeakMap<AwsRequest, Request>();

  private constructor(storage: Storage, tables: Tables, clock: Clock) {
    this.#storage = storage;
    this.#tables = tables;
    this.#timeToLive = new TimeToLive(storage, tables, clock);
    this.#items = new Items(storage, tables, this.#timeToLive);
    this.#transactions = new Transactions(storage, this.#items, clock);
  }

  /**
   * @param options.path the folder to keep the data in; none keeps them in memory.
   * @throws Error if the folder is in use by another process or damaged.
   */
  static async open({ clock, path }: { clock: Clock; path?: string | undefined }): Promise<DynamoDb> {
    const storage = await Storage.open(path);
    try {
      return new DynamoDb(storage, await Tables.load(storage), clock);
    } catch (error) {
      await storage.close();
      throw unusableFolder(path, error);
    }
  }

  /** Ends a running sweep at its next item, and closes the data. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#swept;
    await this.#storage.close();
  }

  /**
   * Creates the table that the inputs of a Pulumi `aws.dynamodb.Table` declare, or keeps an existing table with its items.
   * @throws Error for a declaration that is not emulated, and if the kept table's keys or indexes differ.
   */
  async createTable(inputs: object): Promise<void> {
    const declared = readDeclaration(inputs);
    const name = declared.schema.TableName;
    const kept = this.#tables.find(name);
    const differences = kept ? schemaDifferences(kept.schema, declared.schema) : [];
    if (differences.length > 0) {
      const all = differences.join("; ");
      throw new Error(`DynamoDB table ${name} is kept from before with other keys: ${all}. ${startingAnew}`);
    }
    await this.#tables.put(declared);
    this.#timeToLive.forget(name);
  }

  /** Writes an item that the program declares. @param item in DynamoDB's JSON */
  async putItem(tableName: string, item: string): Promise<void> {
    await this.#items.write("PutItem", { TableName: tableName, Item: JSON.parse(item) });
  }

  /** Deletes the items whose time to live is over, and answers how many. Call it on a timer and when time is advanced. */
  sweep(): Promise<number> {
    const swept = this.#swept.then(() => this.#sweep());
    this.#swept = swept.catch(() => {});
    return swept;
  }

  async #sweep(): Promise<number> {
    let deleted = 0;
    if (this.#isClosed) return deleted;
    for await (const { schema, item, attribute } of this.#timeToLive.expired()) {
      if (this.#isClosed) return deleted;
      const Key: Item = Object.fromEntries(
        schema.KeySchema.flatMap(({ AttributeName: name }) => (item[name] ? [[name, item[name]]] : [])),
      );
      // An item that is written between the scan and this deletion stays.
      const Expected = { [attribute]: { ComparisonOperator: "EQ", AttributeValueList: [item[attribute]] } };
      try {
        await this.#items.write("DeleteItem", { TableName: schema.TableName, Key, Expected });
        deleted += 1;
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        this.#timeToLive.noteItem(schema.TableName, item);
      }
    }
    await this.#transactions.deleteExpiredTokens();
    return deleted;
  }

  operation(request: AwsRequest): string {
    const operation = targetOperation(request);
    const isForDynamoDb = request.headers["x-amz-target"] === `DynamoDB_20120810.${operation}`;
    if (isForDynamoDb && isOperation(operation)) return operation;
    throw new AwsError("UnknownOperationException", `The local DynamoDB does not emulate ${operation}`);
  }

  /** @throws AwsError for a request that DynamoDB would refuse unread. */
  authorizations(operation: string, request: AwsRequest): Authorization[] {
    const read = readRequest(operation, request.body);
    this.#read.set(request, read);
    return rightsOf(operation, read, request.region, this.#tables);
  }

  async handle(operation: string, request: AwsRequest): Promise<AwsResponse> {
    const read = this.#read.get(request) ?? readRequest(operation, request.body);
    // The actions of dynalite change the request, so it is used once.
    this.#read.delete(request);
    return checksummed(jsonAnswer(await this.#answer(operation, read), "1.0"));
  }

  failure(error: AwsError): AwsResponse {
    return checksummed(jsonFailure(error, "1.0"));
  }

  #answer(operation: string, request: Request): Promise<object> {
    switch (operation) {
      case "PutItem":
      case "UpdateItem":
      case "DeleteItem":
        return this.#items.write(operation, request as ItemRequest);
      case "TransactWriteItems":
        return this.#transactions.write(request);
      case "BatchGetItem":
      case "GetItem":
      case "Query":
      case "Scan":
        return this.#items.read(operation, request);
      default:
        // No function may call BatchWriteItem or TransactGetItems. Their rights are decided, so that tests can show the refusals.
        throw new AwsError("UnknownOperationException", `The local DynamoDB does not carry ${operation} out`);
    }
  }
}

function checksummed(answer: AwsResponse): AwsResponse {
  const checksum = String(crc32(answer.body as string));
  return { ...answer, headers: { ...answer.headers, "x-amz-crc32": checksum } };
}
