// Time to live: items whose expiry has passed are deleted by a sweep, some time after, and are readable until then.
import type { Clock } from "../clock.ts";
import type { Item, TableSchema } from "./dynalite.ts";
import { itemSpace, type Storage } from "./storage.ts";
import type { Tables } from "./tables.ts";

/** DynamoDB leaves alone what expired longer ago, as a guard against wrong units. */
const longestExpired = 5 * 365 * 24 * 60 * 60;

export class TimeToLive {
  readonly #storage: Storage;
  readonly #tables: Tables;
  readonly #clock: Clock;
  /** Per table, a time before which nothing expires; none while that is unknown. Spares most sweeps their scan. */
  readonly #quietUntil = new Map<string, number>();

  constructor(storage: Storage, tables: Tables, clock: Clock) {
    this.#storage = storage;
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Must be told of every item put, and of every expired one that stays. */
  noteItem(table: string, item: Item): void {
    const quietUntil = this.#quietUntil.get(table);
    const expiry = expiryOf(item, this.#tables.find(table)?.timeToLive);
    if (quietUntil !== undefined && expiry !== undefined && expiry < quietUntil) this.#quietUntil.set(table, expiry);
  }

  /** Must be told when a table's attribute changes. */
  forget(table: string): void {
    this.#quietUntil.delete(table);
  }

  /** The items that have expired by now, each with the attribute that says so. */
  async *expired(): AsyncGenerator<{ schema: TableSchema; item: Item; attribute: string }> {
    for (const { schema, timeToLive } of this.#tables.all()) {
      if (timeToLive === undefined) continue;
      for await (const item of this.#expiredIn(schema.TableName, timeToLive)) {
        yield { schema, item, attribute: timeToLive };
      }
    }
  }

  async *#expiredIn(table: string, attribute: string): AsyncGenerator<Item> {
    const now = this.#clock.now() / 1000;
    if ((this.#quietUntil.get(table) ?? 0) >= now) return;
    // Set before the scan, so that what is put meanwhile still lowers it.
    this.#quietUntil.set(table, Number.POSITIVE_INFINITY);
    let finished = false;
    try {
      for await (const [, value] of this.#storage.entries(itemSpace(table))) {
        const item = value as Item;
        const expiry = expiryOf(item, attribute) ?? 0;
        if (expiry >= now) this.noteItem(table, item);
        else if (expiry > now - longestExpired) yield item;
      }
      finished = true;
    } finally {
      if (!finished) this.forget(table);
    }
  }
}

/** Seconds since the epoch. Only numbers count. */
function expiryOf(item: Item, attribute: string | undefined): number | undefined {
  const number = attribute === undefined ? undefined : item[attribute]?.N;
  return number === undefined ? undefined : Number(number);
}
