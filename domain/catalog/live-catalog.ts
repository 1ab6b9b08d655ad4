// The catalog of a stack with the models that were taken up since it was deployed, as an instance knows them: at most a minute old.
import { configurationTtlMs } from "../kernel/cache.ts";
import type { Log } from "../kernel/log.ts";
import type { Catalog } from "./catalog.ts";
import { type TakenModel, withTakenUp } from "./taken-up.ts";

type LiveCatalogOptions = {
  catalog: Catalog;
  /** Undefined where nothing is taken up. */
  read: (() => Promise<TakenModel[]>) | undefined;
  log: Pick<Log, "problem">;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

export class LiveCatalog implements Catalog {
  readonly #options: LiveCatalogOptions;
  #current: Catalog;
  #readAt = Number.NEGATIVE_INFINITY;

  constructor(options: LiveCatalogOptions) {
    this.#options = options;
    this.#current = options.catalog;
  }

  get models(): Catalog["models"] {
    return this.#current.models;
  }

  get names(): Catalog["names"] {
    return this.#current.names;
  }

  /** The work, before which the catalog is brought up to date. */
  before<Input extends unknown[], Result>(
    work: (...input: Input) => Promise<Result>,
  ): (...input: Input) => Promise<Result> {
    return async (...input) => {
      await this.freshen();
      return work(...input);
    };
  }

  /** Reads what was taken up, if that is due. If the store does not answer, the catalog stays as it is. */
  async freshen(): Promise<void> {
    const { catalog, read, log, clock } = this.#options;
    const now = clock();
    if (!read || now - this.#readAt < configurationTtlMs) return;
    this.#readAt = now;
    try {
      this.#current = withTakenUp(catalog, await read());
    } catch (error) {
      log.problem("The models that were taken up could not be read", {}, error);
    }
  }
}
