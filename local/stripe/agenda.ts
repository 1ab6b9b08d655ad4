// The agenda of the account: the times at which periods end, drafts become final, invoices are collected and sessions expire.

export class Agenda {
  readonly #due = new Map<string, number>();

  /** @param at in seconds; null or undefined removes the entry. */
  set(key: string, at: number | null | undefined): void {
    if (at === null || at === undefined) this.#due.delete(key);
    else this.#due.set(key, at);
  }

  /** The earliest entry that is due at `now`, in seconds. */
  next(now: number): { key: string; at: number } | undefined {
    let first: { key: string; at: number } | undefined;
    for (const [key, at] of this.#due) if (at <= now && (!first || at < first.at)) first = { key, at };
    return first;
  }
}
