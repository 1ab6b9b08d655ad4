// Remembers what a model refused in a region, since this instance began. The memory spares a call that would be refused, and changes nothing
// else: what is left out by it is what a repeat would leave out.

/** The number of refusals that are remembered of a model in a region. Callers can send any names, so the oldest is dropped. */
const most = 32;

/** The model and the region that were called: the hosts of one model differ by region. */
type Called = { modelId: string; region: string };

/** Sets of beta flags. The host refuses the flags of a call together, so that a call is refused if it has all flags of a refused set. */
export class RefusedFlags {
  readonly #sets = new Memory<readonly string[]>();

  isRefused(called: Called, flags: readonly string[]): boolean {
    return this.#sets.of(called).some((refused) => refused.every((flag) => flags.includes(flag)));
  }

  add(called: Called, flags: readonly string[]): void {
    this.#sets.keep(called, [...flags], (refused) => flags.every((flag) => refused.includes(flag)));
  }
}

/**
 * Fields that neither the model nor the Messages API knows. A field may come with a flag or a version that the refused call did not have, so
 * a refusal holds for calls whose conditions are among those of the refused call.
 */
export class RefusedFields {
  readonly #fields = new Memory<{ pattern: string; conditions: readonly string[] }>();

  /** The patterns of the fields that are refused under these conditions. */
  of(called: Called, conditions: readonly string[]): string[] {
    const refused = this.#fields.of(called).filter((one) => conditions.every((each) => one.conditions.includes(each)));
    return [...new Set(refused.map(({ pattern }) => pattern))];
  }

  add(called: Called, pattern: string, conditions: readonly string[]): void {
    this.#fields.keep(
      called,
      { pattern, conditions: [...conditions] },
      (one) => one.pattern === pattern && one.conditions.every((each) => conditions.includes(each)),
    );
  }
}

class Memory<T> {
  readonly #kept = new Map<string, readonly T[]>();

  of(called: Called): readonly T[] {
    return this.#kept.get(keyOf(called)) ?? [];
  }

  /** @param isCovered whether what is kept says no more than the new one */
  keep(called: Called, one: T, isCovered: (kept: T) => boolean): void {
    const others = this.of(called).filter((kept) => !isCovered(kept));
    this.#kept.set(keyOf(called), [...others, one].slice(-most));
  }
}

function keyOf({ modelId, region }: Called): string {
  return `${modelId} ${region}`;
}
