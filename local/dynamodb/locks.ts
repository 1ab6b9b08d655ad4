// Who may write an item now: plain writes on an item take turns, a transaction holds all of its items and whatever
// meets one of them meanwhile is refused, not made to wait.

export class ItemLocks {
  /** The last plain write of each item that is being written. */
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #inTransaction = new Set<string>();

  /** True while a transaction holds the item. */
  isInTransaction(item: string): boolean {
    return this.#inTransaction.has(item);
  }

  /** True while anything is writing the item. */
  isBusy(item: string): boolean {
    return this.#inTransaction.has(item) || this.#turns.has(item);
  }

  /** Does a plain write's work when all earlier ones on the item are done. Ask `isInTransaction` before. */
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

  /** Does a transaction's work when the plain writes under way on its items are done. Ask `isInTransaction` before. */
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
