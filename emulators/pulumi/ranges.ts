// Ranges of numbers. AWS refuses a number outside of its range in the middle of a deployment.
import type { Inputs } from "./descriptor.ts";

/** The lowest and the highest value, by the input's name. */
export type Ranges = Readonly<Record<string, readonly [number, number]>>;

/** Names each input outside of its range in a sentence; an input that is not given has AWS's default. */
export function outOfRange(what: string, inputs: Inputs, ranges: Ranges): string[] {
  return Object.entries(ranges)
    .filter(([name, [low, high]]) => Number(inputs[name] ?? low) < low || Number(inputs[name] ?? low) > high)
    .map(([name, [low, high]]) => `${what}: its ${name} must be from ${low} to ${high}`);
}
