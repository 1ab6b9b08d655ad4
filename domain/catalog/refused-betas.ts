// Remembers the beta flags that a model refused, by region. The host refuses a call's flags together, so sets of flags are
// remembered: a set is known to be refused if it contains a remembered one.

/** Callers can send whatever they like; the oldest set goes first. */
const maxSets = 100;

/** The model and the region that were called: the hosts of one model differ by region. */
type Called = { modelId: string; region: string };

export class RefusedBetas {
  readonly #sets = new Map<string, (readonly string[])[]>();

  /** Gives the flags that are not known to be refused. */
  worthTrying(called: Called, flags: readonly string[]): string[] {
    const worth = new Set(flags);
    // The smallest set first: a flag that is refused alone must not take others with it.
    for (const refused of this.#setsOf(called).toSorted((one, other) => one.length - other.length)) {
      if (refused.every((flag) => worth.has(flag))) for (const flag of refused) worth.delete(flag);
    }
    return [...worth];
  }

  add(called: Called, flags: readonly string[]): void {
    const others = this.#setsOf(called).filter((refused) => !flags.every((flag) => refused.includes(flag)));
    this.#sets.set(keyOf(called), [...others, [...flags]].slice(-maxSets));
  }

  #setsOf(called: Called): (readonly string[])[] {
    return this.#sets.get(keyOf(called)) ?? [];
  }
}

function keyOf({ modelId, region }: Called): string {
  return `${modelId} ${region}`;
}
