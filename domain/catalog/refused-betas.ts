// Beta flags that were tried and refused by a model. Flags are refused together, so that what is remembered are sets of
// them: a set is known to be refused if it holds one that was.

/** Callers can send whatever they like; the oldest set goes first. */
const maxSets = 100;

export class RefusedBetas {
  readonly #sets = new Map<string, string[][]>();

  /** Those of the flags that the model is not known to refuse. */
  worthTrying(modelId: string, flags: readonly string[]): string[] {
    const worth = new Set(flags);
    // The smallest set first: a flag that is refused alone must not take others with it.
    for (const refused of (this.#sets.get(modelId) ?? []).toSorted((one, other) => one.length - other.length)) {
      if (refused.every((flag) => worth.has(flag))) for (const flag of refused) worth.delete(flag);
    }
    return [...worth];
  }

  add(modelId: string, flags: readonly string[]): void {
    const others = (this.#sets.get(modelId) ?? []).filter((refused) => !flags.every((flag) => refused.includes(flag)));
    this.#sets.set(modelId, [...others, [...flags]].slice(-maxSets));
  }
}
