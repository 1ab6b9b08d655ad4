// A bounded memory of one instance: entries have an age limit, and the least recently used one goes first.

export type CacheOptions = {
  size: number;
  ttlMs: number;
  clock: () => number;
};

type Entry<V> = { value: V; readAt: number };

export class Cache<V> {
  // A Map keeps the order of insertion; a used entry is inserted anew.
  readonly #entries = new Map<string, Entry<V>>();
  readonly #size: number;
  readonly #ttlMs: number;
  readonly #clock: () => number;

  constructor({ size, ttlMs, clock }: CacheOptions) {
    this.#size = size;
    this.#ttlMs = ttlMs;
    this.#clock = clock;
  }

  get(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (!entry) return undefined;
    this.#entries.delete(key);
    if (this.#clock() - entry.readAt >= this.#ttlMs) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  set(key: string, value: V, readAt: number = this.#clock()): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, readAt });
    const [oldest] = this.#entries.keys();
    if (this.#entries.size > this.#size && oldest !== undefined) this.#entries.delete(oldest);
  }

  /** The entry, or what `read` gives. Its age counts from before the read; nothing found is not remembered. */
  async through(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.get(key);
    if (known !== undefined) return known;
    const readAt = this.#clock();
    const value = await read();
    if (value !== undefined) this.set(key, value, readAt);
    return value;
  }
}
