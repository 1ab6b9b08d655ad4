// Locks of items. Plain writes on an item wait for each other. A transaction locks all of its items, and every other call on one of them is
// refused.

export class ItemLocks {
  /** The last plain write of each item that is being written. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #inTransaction = new Set<string>();

  /** True while a transaction holds the item. */
  isInTransaction(item: string): boolean {
    return this.#inTransaction.has(item);
  }

  /** Runs a plain write after the earlier ones on the item. The caller checks `isInTransaction` first. */
  async takeTurn<T>(item: string, work: () => Promise<T>): Promise<T> {
    const earlier = this.#turns.get(item);
    const result = earlier ? earlier.then(work) : work();
    const turn = result.then(ignore, ignore);
    this.#turns.set(item, turn);
    try {
      return await result;
    } finally {
      if (this.#turns.get(item) === turn) this.#turns.delete(item);
    }
  }

  /** Runs a transaction after the plain writes in progress on its items. The caller checks `isInTransaction` first. */
  async holdAll<T>(items: string[], work: () => Promise<T>): Promise<T> {
    for (const item of items) this.#inTransaction.add(item);
    try {
      await Promise.all(items.map((item) => this.#turns.get(item)));
      return await work();
    } finally {
      for (const item of items) this.#inTransaction.delete(item);
    }
  }
}

function ignore(): void {}
