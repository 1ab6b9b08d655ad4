// The tables: in memory for every call to read, and on the disk beside their items.
import { accountId } from "../aws/account.ts";
import { AwsError } from "../aws/service.ts";
import type { TableSchema } from "./dynalite.ts";
import type { Storage } from "./storage.ts";

export type Table = {
  /** The keys and indexes, which cannot change while the table has data. */
  schema: TableSchema;
  /** The attribute with the expiry of an item, if time to live is enabled. */
  timeToLive?: string | undefined;
};

const prefix = "table~";

export class Tables {
  readonly #storage: Storage;
  readonly #tables = new Map<string, Table>();

  private constructor(storage: Storage) {
    this.#storage = storage;
  }

  static async load(storage: Storage): Promise<Tables> {
    const tables = new Tables(storage);
    for await (const [key, table] of storage.entries(prefix)) {
      tables.#tables.set(key.slice(prefix.length), table as Table);
    }
    return tables;
  }

  find(name: string): Table | undefined {
    return this.#tables.get(name);
  }

  /** @throws AwsError as the operations on items refuse an unknown table. */
  get(name: string): Table {
    const table = this.#tables.get(name);
    if (!table) throw new AwsError("ResourceNotFoundException", "Requested resource not found");
    return table;
  }

  all(): Table[] {
    return [...this.#tables.values()];
  }

  async put(table: Table): Promise<void> {
    const name = table.schema.TableName;
    await this.#storage.write([{ type: "put", key: prefix + name, value: table }]);
    this.#tables.set(name, table);
  }
}

export function tableArn(name: string, region: string): string {
  return `arn:aws:dynamodb:${region}:${accountId}:table/${name}`;
}
