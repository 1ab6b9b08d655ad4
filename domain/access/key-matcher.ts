// Matches presented API keys with their records. Results are cached, so bcrypt runs once for each key and instance.
import { createHmac, createSecretKey, type KeyObject } from "node:crypto";
import { Cache, configurationTtlMs } from "../kernel/cache.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { ApiKey, ApiKeyStore } from "./api-key.ts";
import { invalidCredential } from "./credential.ts";
import { parseApiKey } from "./key-text.ts";

/** How long the result for a wrong key is cached. */
const wrongTtlMs = 30_000;
const size = 1_000;

type ApiKeyMatcherOptions = {
  keys: Pick<ApiKeyStore, "get">;
  clock: () => number;
  /** 32 random bytes of this process, with which cached digests are keyed. Outside the process the digests are useless. */
  secret: Uint8Array;
  /** Whether the hash is a hash of the key. */
  compare: (key: string, hash: string) => Promise<boolean>;
};

export class ApiKeyMatcher {
  readonly #options: ApiKeyMatcherOptions;
  readonly #secret: KeyObject;
  readonly #rows: Cache<ApiKey>;
  // The stored hash by the digest of the presented key. The result holds as long as the record has this hash.
  readonly #matched: Cache<string>;
  readonly #wrong: Cache<string>;
  // Comparisons run one after another, because each occupies the processor for tens of milliseconds that running streams need.
  #lastComparison: Promise<unknown> = Promise.resolve();

  constructor(options: ApiKeyMatcherOptions) {
    const { clock } = options;
    this.#secret = createSecretKey(options.secret);
    this.#options = options;
    this.#rows = new Cache({ size, ttlMs: configurationTtlMs, clock });
    this.#matched = new Cache({ size, ttlMs: Number.POSITIVE_INFINITY, clock });
    this.#wrong = new Cache({ size, ttlMs: wrongTtlMs, clock });
  }

  /**
   * Returns the record of a presented key, at most 60 s old.
   * @throws Refusal credential_invalid, or credential_expired for a key that is past its time.
   */
  async match(presented: string): Promise<ApiKey> {
    const parsed = parseApiKey(presented);
    if (!parsed) throw invalidCredential();
    const row = await this.#rows.through(parsed.key_id, () => this.#options.keys.get(parsed.key_id));
    if (row?.status !== "active") throw invalidCredential();
    if (!(await this.#matches(presented, row.hash))) throw invalidCredential();
    if (row.expires_at && Date.parse(row.expires_at) <= this.#options.clock()) {
      throw new Refusal("credential_expired", "The API key has expired");
    }
    return row;
  }

  async #matches(presented: string, hash: string): Promise<boolean> {
    const digest = createHmac("sha256", this.#secret).update(presented).digest("base64");
    const known = this.#known(digest, hash);
    if (known !== undefined) return known;
    const comparison = this.#lastComparison.then(
      () => this.#known(digest, hash) ?? this.#compare(presented, hash, digest),
    );
    this.#lastComparison = comparison.catch(() => {});
    return comparison;
  }

  #known(digest: string, hash: string): boolean | undefined {
    if (this.#matched.get(digest) === hash) return true;
    if (this.#wrong.get(digest) === hash) return false;
    return undefined;
  }

  async #compare(presented: string, hash: string, digest: string): Promise<boolean> {
    const matches = await this.#options.compare(presented, hash);
    (matches ? this.#matched : this.#wrong).set(digest, hash);
    return matches;
  }
}
