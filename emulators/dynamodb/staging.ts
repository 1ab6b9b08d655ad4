// The store for one run of a dynalite action. Reads go to the disk; writes are only collected, so that a table and its indexes, or all items
// of a transaction, change in one batch.
import { Stream } from "node:stream";
import { type Item, maxItemSize, type Range, type Write } from "./dynalite.ts";
import { indexSpace, itemSpace, type Storage } from "./storage.ts";
import type { Tables } from "./tables.ts";

type Done<T = void> = (error: unknown, value?: T) => void;

/** Values that dynalite reads in one go; a page of a query seldom has more. */
const readAhead = 100;

export class Staging {
  readonly options = { maxItemSize };
  /** The writes of the action so far. */
  readonly writes: Write[] = [];
  /** The item that the action read last. */
  existing: Item | undefined;
  /** The item that the action put. */
  image: Item | undefined;
  readonly #storage: Storage;
  readonly #tables: Tables;

  constructor(storage: Storage, tables: Tables) {
    this.#storage = storage;
    this.#tables = tables;
  }

  // The names and shapes of the members below are dynalite's.

  getTable(name: string, done: Done<object>): void {
    done(null, this.#tables.get(name).schema);
  }

  getItemDb(table: string) {
    const space = this.#space(itemSpace(table));
    return {
      ...space,
      get: (key: string, done: Done<Item>) => {
        this.existing = this.#storage.get(itemSpace(table) + key) as Item | undefined;
        done(null, this.existing);
      },
      put: (key: string, item: Item, done: Done) => {
        this.image = item;
        space.put(key, item, done);
      },
    };
  }

  getIndexDb(_kind: string, table: string, index: string) {
    return this.#space(indexSpace(table, index));
  }

  #space(prefix: string) {
    return {
      // The caller of the action holds the lock of the item already.
      lock: (_key: string, locked: (release: <T>(done: T) => T) => void) => locked((done) => done),
      put: (key: string, value: Item, done: Done) => {
        this.writes.push({ type: "put", key: prefix + key, value });
        done(null);
      },
      del: (key: string, done: Done) => {
        this.writes.push({ type: "del", key: prefix + key });
        done(null);
      },
      createValueStream: (range: Range) => new ValueStream(this.#storage.values(within(prefix, range))),
    };
  }
}

function within(prefix: string, { gt, gte, lt, lte, ...others }: Range): Range {
  const start = gte === undefined && gt !== undefined ? { gt: prefix + gt } : { gte: prefix + (gte ?? "") };
  const end = lte === undefined ? { lt: prefix + (lt ?? "\uffff") } : { lte: prefix + lte };
  return { ...start, ...end, ...others };
}

/** The values as a `Stream` of the oldest kind, which the lazy lists of dynalite read. A throwing listener is an `error` event. */
class ValueStream extends Stream {
  #stopped = false;

  constructor(values: ReturnType<Storage["values"]>) {
    super();
    void this.#emitAll(values);
  }

  destroy(): void {
    this.#stopped = true;
  }

  async #emitAll(values: ReturnType<Storage["values"]>): Promise<void> {
    try {
      while (!this.#stopped) {
        const page = await values.nextv(readAhead);
        if (page.length === 0) break;
        for (const value of page) if (!this.#stopped) this.emit("data", value);
      }
      this.emit("end");
    } catch (error) {
      this.emit("error", error);
    } finally {
      await values.close();
    }
  }
}
