// The identity provider's public keys. They count for an hour, and are fetched again ahead of its end, while nobody waits.
import { setTimeout as realPause } from "node:timers/promises";
import type { Fetcher } from "aws-jwt-verify/https";
import { type Jwks, SimpleJwksCache } from "aws-jwt-verify/jwk";
import { KeySetUnavailable } from "../../domain/access/credential.ts";

const minute = 60_000;
/** docs/specification.md, Limits. */
const lifetimeMs = 60 * minute;
/** From this age on a key set is fetched again in the background. */
const aheadMs = 50 * minute;
/** A fetch ahead that failed is repeated after this time at the earliest: the old keys still count. */
const aheadAgainMs = 15_000;
/** A fetch that failed is repeated once, after this time. With the library's own repeats and time-outs a caller waits 13 s at most. */
const repeatAfterMs = 250;

export type KeySetOptions = {
  clock: () => number;
  /** Fetches the key set; the library's own unless a test brings one. */
  fetcher?: Fetcher | undefined;
  pause?: ((milliseconds: number) => Promise<unknown>) | undefined;
};

/** The library's cache never expires. */
export class HourlyKeySet extends SimpleJwksCache {
  readonly #clock: () => number;
  readonly #pause: (milliseconds: number) => Promise<unknown>;
  readonly #fetchedAt = new Map<string, number>();
  readonly #fetching = new Map<string, Promise<Jwks>>();
  readonly #ahead = new Map<string, { startedAt: number; ended: Promise<unknown> }>();

  constructor({ clock, fetcher, pause = realPause }: KeySetOptions) {
    super(fetcher && { fetcher });
    this.#clock = clock;
    this.#pause = pause;
  }

  /** Callers at the same time share one fetch. @throws KeySetUnavailable */
  override getJwks(uri: string): Promise<Jwks> {
    const fetching = this.#fetching.get(uri) ?? this.#fetch(uri).finally(() => this.#fetching.delete(uri));
    this.#fetching.set(uri, fetching);
    return fetching;
  }

  override async getJwk(uri: string, token: Parameters<SimpleJwksCache["getJwk"]>[1]) {
    if (this.#age(uri) >= lifetimeMs) await this.#renew(uri);
    else if (this.#age(uri) >= aheadMs) this.#fetchAhead(uri);
    return super.getJwk(uri, token);
  }

  /** 0 as long as there is no key set; the first token that needs one fetches it. */
  #age(uri: string): number {
    const now = this.#clock();
    return now - (this.#fetchedAt.get(uri) ?? now);
  }

  async #fetch(uri: string): Promise<Jwks> {
    const startedAt = this.#clock();
    try {
      const keySet = await super.getJwks(uri).catch(async () => {
        await this.#pause(repeatAfterMs);
        return super.getJwks(uri);
      });
      this.#fetchedAt.set(uri, startedAt);
      return keySet;
    } catch (error) {
      throw new KeySetUnavailable(error);
    }
  }

  /** Lambda may stop the process in the middle of it; the time-outs of the fetch end it once the process goes on. */
  #fetchAhead(uri: string): void {
    const startedAt = this.#clock();
    const last = this.#ahead.get(uri)?.startedAt ?? Number.NEGATIVE_INFINITY;
    if (startedAt - last < aheadAgainMs) return;
    this.#ahead.set(uri, { startedAt, ended: this.getJwks(uri).catch(() => {}) });
  }

  /** A fetch ahead that is still under way may be from before a stop, so its failure does not count. */
  async #renew(uri: string): Promise<void> {
    await this.#ahead.get(uri)?.ended;
    if (this.#age(uri) >= lifetimeMs) await this.getJwks(uri);
  }
}
