// DynamoDB on one machine: dynalite's checks and actions called in process, with transactions, conflicts, time to live,
// atomic writes and IAM rights added.
import { randomUUID } from "node:crypto";
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
import {
  describeContinuousBackups,
  describeTable,
  describeTimeToLive,
  listTables,
  timeToLiveUpdate,
} from "./table-operations.ts";
import { type Table, Tables } from "./tables.ts";
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
  readonly #clock: Clock;
  /** Requests that `authorizations` has read and `handle` has not. */
  readonly #read = new WeakMap<AwsRequest, Request>();

  private constructor(storage: Storage, tables: Tables, clock: Clock) {
    this.#storage = storage;
    this.#tables = tables;
    this.#clock = clock;
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

  async close(): Promise<void> {
    await this.#storage.close();
  }

  /**
   * Makes the table that the inputs of a Pulumi `aws.dynamodb.Table` declare, or keeps the one that is there.
   * @throws Error for what is declared but not emulated, and if the kept table's keys or indexes differ.
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
    const { id, createdAt } = kept ?? { id: randomUUID(), createdAt: this.#clock.now() / 1000 };
    await this.#putTable({ ...declared, id, createdAt });
  }

  /** Writes an item that the program declares. @param item in DynamoDB's JSON */
  async putItem(tableName: string, item: string): Promise<void> {
    await this.#items.write("PutItem", { TableName: tableName, Item: JSON.parse(item) });
  }

  /** Deletes the items whose time to live is over, and answers how many. Call it on a timer and when time is advanced. */
  async sweep(): Promise<number> {
    let deleted = 0;
    for await (const { schema, item, attribute } of this.#timeToLive.expired()) {
      const Key: Item = Object.fromEntries(
        schema.KeySchema.flatMap(({ AttributeName: name }) => (item[name] ? [[name, item[name]]] : [])),
      );
      // The item may be written between the scan and its turn: then it stays.
      const Expected = { [attribute]: { ComparisonOperator: "EQ", AttributeValueList: [item[attribute]] } };
      try {
        await this.#items.write("DeleteItem", { TableName: schema.TableName, Key, Expected });
        deleted += 1;
      } catch (error) {
        if (!(error instanceof AwsError)) throw error;
        this.#timeToLive.noteItem(schema.TableName, item);
      }
    }
    await this.#transactions.sweepTokens();
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
    // The actions write into what was read.
    this.#read.delete(request);
    return checksummed(jsonAnswer(await this.#answer(operation, read, request.region), "1.0"));
  }

  failure(error: AwsError): AwsResponse {
    return checksummed(jsonFailure(error, "1.0"));
  }

  #answer(operation: string, request: Request, region: string): Promise<object> | object {
    switch (operation) {
      case "PutItem":
      case "UpdateItem":
      case "DeleteItem":
        return this.#items.write(operation, request as ItemRequest);
      case "BatchWriteItem":
        return this.#items.writeBatch(request);
      case "TransactWriteItems":
        return this.#transactions.write(request);
      case "TransactGetItems":
        return this.#transactions.read(request);
      case "ListTables":
        return listTables(this.#tables, request);
      case "DescribeTable":
        return describeTable(this.#tables, request, region);
      case "DescribeContinuousBackups":
        return describeContinuousBackups(this.#tables, request);
      case "DescribeTimeToLive":
        return describeTimeToLive(this.#tables, request);
      case "UpdateTimeToLive":
        return this.#updateTimeToLive(request);
      case "BatchGetItem":
      case "GetItem":
      case "Query":
      case "Scan":
        return this.#items.read(operation, request);
      default:
        throw new Error(`${operation} is known but not carried out`);
    }
  }

  async #updateTimeToLive(request: Request): Promise<object> {
    const { table, answer } = timeToLiveUpdate(this.#tables, request);
    await this.#putTable(table);
    return answer;
  }

  async #putTable(table: Table): Promise<void> {
    await this.#tables.put(table);
    this.#timeToLive.forget(table.schema.TableName);
  }
}

function checksummed(answer: AwsResponse): AwsResponse {
  const checksum = String(crc32(answer.body as string));
  return { ...answer, headers: { ...answer.headers, "x-amz-crc32": checksum } };
}
