// Opaque secrets that expire: codes, cookies, challenges, refresh tokens. The store holds only their hash.
import { createHash, randomBytes } from "node:crypto";
import type { Collection } from "../store.ts";

export type Entry<T> = {
  /** The secret's hash, which is also its id in the store. */
  id: string;
  value: T;
  /** Milliseconds since the epoch. */
  expiresAt: number;
};

export class Secrets<T> {
  readonly #entries: Collection<Entry<T>>;
  readonly #now: () => number;

  constructor(entries: Collection<Entry<T>>, now: () => number) {
    this.#entries = entries;
    this.#now = now;
    for (const entry of entries.all()) if (entry.expiresAt <= now()) entries.delete(entry.id);
  }

  /** A new secret for `value`, 256 random bits. */
  issue(value: T, expiresAt: number): string {
    const secret = randomBytes(32).toString("base64url");
    const id = hash(secret);
    this.#entries.put(id, { id, value, expiresAt });
    return secret;
  }

  /** Finds the entry of a secret. An unknown or expired secret has none. */
  read(secret: string | undefined): Entry<T> | undefined {
    if (!secret) return undefined;
    const entry = this.#entries.get(hash(secret));
    return entry && entry.expiresAt > this.#now() ? entry : undefined;
  }

  update(entry: Entry<T>, value: T): void {
    this.#entries.put(entry.id, { ...entry, value });
  }

  forget(secret: string | undefined): void {
    if (secret) this.#entries.delete(hash(secret));
  }
}

function hash(secret: string): string {
  return createHash("sha256").update(secret).digest("base64url");
}
