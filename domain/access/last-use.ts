// When API keys were last used. The proxy notes it after its answer, at most once a minute for each key and instance.
import { Cache } from "../kernel/cache.ts";
import type { Log } from "../kernel/log.ts";

export interface LastUseStore {
  /** A later use that is known stays. @param now in milliseconds */
  put(keyId: string, now: number): Promise<void>;
  /** When each of the keys was last used, in ISO 8601; keys that were never used are not in it. @param keyIds each once */
  of(keyIds: readonly string[]): Promise<Map<string, string>>;
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

  /** Never rejects: what fails is told to the log, and tried again with a use in a minute. */
  async note(keyId: string): Promise<void> {
    if (this.#noted.get(keyId)) return;
    this.#noted.set(keyId, true);
    const { store, clock, log } = this.#deps;
    await store.put(keyId, clock()).catch((error) => log.problem("last_use_not_noted", { key_id: keyId }, error));
  }
}
