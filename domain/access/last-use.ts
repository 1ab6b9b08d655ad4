// The last use of API keys. The proxy writes it after its answer, at most once a minute for each key and instance.
import { Cache } from "../kernel/cache.ts";
import type { Log } from "../kernel/log.ts";

export interface LastUseStore {
  /** Writes the time of a use unless a later use is stored. @param now in milliseconds */
  put(keyId: string, now: number): Promise<void>;
  /** Times of last use in ISO 8601 by key id, without keys that were never used. @param keyIds each once */
  of(keyIds: readonly string[]): Promise<Map<string, string>>;
}

/** When one of the keys was used last; undefined if none was. @param used as the store gives it */
export function latestUse(used: ReadonlyMap<string, string>, keyIds: readonly string[]): string | undefined {
  return keyIds
    .flatMap((keyId) => used.get(keyId) ?? [])
    .toSorted()
    .at(-1);
}

const pauseMs = 60_000;
const size = 1_000;

type LastUseDependencies = { store: Pick<LastUseStore, "put">; clock: () => number; log: Log };

export class LastUseWriter {
  readonly #deps: LastUseDependencies;
  readonly #noted: Cache<true>;

  constructor(deps: LastUseDependencies) {
    this.#deps = deps;
    this.#noted = new Cache({ size, ttlMs: pauseMs, clock: deps.clock });
  }

  /** Never rejects: a failure is logged, and the next use after a minute writes again. */
  async note(keyId: string): Promise<void> {
    if (this.#noted.get(keyId)) return;
    this.#noted.set(keyId, true);
    const { store, clock, log } = this.#deps;
    await store.put(keyId, clock()).catch((error) => log.problem("last_use_not_noted", { key_id: keyId }, error));
  }
}
