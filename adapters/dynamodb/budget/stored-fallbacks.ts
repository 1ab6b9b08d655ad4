// The stored form of a caller's fallbacks: a set of short texts, to which each write adds its own or from which it takes its own, so that no
// write undoes another's.
import type { Fallback } from "../../../domain/budget/spending.ts";
import { minuteMs } from "../../../domain/kernel/period.ts";
import type { Item } from "../write.ts";

/** The model, the region, and the end in minutes. */
export function storedFallbacks(fallbacks: readonly Fallback[]): Set<string> {
  return new Set(fallbacks.map(({ model, region, until }) => `${model} ${region} ${until / minuteMs}`));
}

export function fallbacksOf({ fallbacks }: Item = {}): { fallbacks?: Fallback[] } {
  if (!(fallbacks instanceof Set)) return {};
  return { fallbacks: [...fallbacks].map((text) => restored(String(text))) };
}

function restored(text: string): Fallback {
  const [model = "", region = "", minutes] = text.split(" ");
  return { model, region, until: Number(minutes) * minuteMs };
}
