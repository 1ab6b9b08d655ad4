// A bounded cache in the memory of one instance. Entries expire, and the least recently used entry is evicted first.

/** Configuration that an instance remembers is never older than this (docs/specification.md, "Proxy authentication invariants"). */
export const configurationTtlMs = 60_000;

export type CacheOptions = {
  size: number;
  /** The age at which an entry expires. */
  ttlMs: number;
  clock: () => number;
};

type Entry<V> = { value: V; readAt: number };

export class Cache<V> {
  // A Map keeps the order of insertion, so a used entry is inserted again to become the youngest.
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

  delete(key: string): void {
    this.#entries.delete(key);
  }

  /** Returns the entry, or reads and caches the value. Its age counts from before the read; undefined is not cached. */
  async through(key: string, read: () => Promise<V | undefined>): Promise<V | undefined> {
    const known = this.get(key);
    if (known !== undefined) return known;
    const readAt = this.#clock();
    const value = await read();
    if (value !== undefined) this.set(key, value, readAt);
    return value;
  }
}
