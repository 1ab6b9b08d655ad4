// Remembers the names of what a model refused, by region: beta flags, or fields of the body. The host refuses a call's flags
// together, so sets are remembered: a set is known to be refused if it contains a remembered one.

/** The number of sets that are remembered. Callers can send any names, so the oldest set is dropped. */
const maxSets = 100;

/** The model and the region that were called: the hosts of one model differ by region. */
type Called = { modelId: string; region: string };

export class RefusedNames {
  readonly #sets = new Map<string, (readonly string[])[]>();

  /** Gives the names that are not known to be refused. */
  worthTrying(called: Called, names: readonly string[]): string[] {
    const worth = new Set(names);
    // The smallest set first: a name that is refused alone must not take others with it.
    for (const refused of this.#setsOf(called).toSorted((one, other) => one.length - other.length)) {
      if (refused.every((name) => worth.has(name))) for (const name of refused) worth.delete(name);
    }
    return [...worth];
  }

  add(called: Called, names: readonly string[]): void {
    const others = this.#setsOf(called).filter((refused) => !names.every((name) => refused.includes(name)));
    this.#sets.set(keyOf(called), [...others, [...names]].slice(-maxSets));
  }

  #setsOf(called: Called): (readonly string[])[] {
    return this.#sets.get(keyOf(called)) ?? [];
  }
}

function keyOf({ modelId, region }: Called): string {
  return `${modelId} ${region}`;
}
