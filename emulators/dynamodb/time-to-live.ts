// Time to live: items whose expiry has passed are deleted by a sweep, some time after, and are readable until then.
import type { Clock } from "../clock.ts";
import type { Item, TableSchema } from "./dynalite.ts";
import { itemSpace, type Storage } from "./storage.ts";
import type { Tables } from "./tables.ts";

/** DynamoDB does not delete an item that expired longer ago, as a guard against wrong units. */
const maxExpiredSeconds = 5 * 365 * 24 * 60 * 60;

export class TimeToLive {
  readonly #storage: Storage;
  readonly #tables: Tables;
  readonly #clock: Clock;
  /** Per table, a time before which no item expires, if it is known. Most sweeps need no scan because of it. */
  readonly #quietUntil = new Map<string, number>();

  constructor(storage: Storage, tables: Tables, clock: Clock) {
    this.#storage = storage;
    this.#tables = tables;
    this.#clock = clock;
  }

  /** Must be called for every item that is put, and for every expired item that stays. */
  noteItem(table: string, item: Item): void {
    const quietUntil = this.#quietUntil.get(table);
    const expiry = expiryOf(item, this.#tables.find(table)?.timeToLive);
    if (quietUntil !== undefined && expiry !== undefined && expiry < quietUntil) this.#quietUntil.set(table, expiry);
  }

  /** Must be called when the attribute of a table changes. */
  forget(table: string): void {
    this.#quietUntil.delete(table);
  }

  /** The items that have expired, each with the attribute of its expiry. */
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
    // The time is set before the scan, so that an item put during the scan lowers it.
    this.#quietUntil.set(table, Number.POSITIVE_INFINITY);
    let finished = false;
    try {
      for await (const [, value] of this.#storage.entries(itemSpace(table))) {
        const item = value as Item;
        const expiry = expiryOf(item, attribute) ?? 0;
        if (expiry >= now) this.noteItem(table, item);
        else if (expiry > now - maxExpiredSeconds) yield item;
      }
      finished = true;
    } finally {
      if (!finished) this.forget(table);
    }
  }
}

/** Seconds since the epoch. A value that is no number has no effect. */
function expiryOf(item: Item, attribute: string | undefined): number | undefined {
  const number = attribute === undefined ? undefined : item[attribute]?.N;
  return number === undefined ? undefined : Number(number);
}
