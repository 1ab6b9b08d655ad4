// The rate limits of a gateway, counted by the stack's clock ("rate limits" of AWS's page on gateways: dimensions are the target, the
// tool and claims of the caller's token; a pattern may end with `*`; a rate of 0 blocks). AWS applies a change within 30 seconds, this at once.
import type { Gateway } from "./gateways.ts";

type Rate = { rate: number; period: "second" | "minute" };
type Entry = { dimensions: Record<string, string>; requests?: Rate[] };

/** The values of a call's dimensions, e.g. `targetName` or `$.context.jwt.tenant_id`. */
export type Dimensions = Record<string, string | undefined>;

const periodMs = { second: 1_000, minute: 60_000 };

export class RateLimiter {
  readonly #now: () => number;
  /** The calls in the current period, by gateway, limit, values and period. */
  readonly #counts = new Map<string, { from: number; calls: number }>();

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a call. False if a limit of the gateway is used up; the call then counts nowhere. */
  takes({ id, rateLimits }: Gateway, dimensions: Dimensions): boolean {
    const counters = rateLimits.flatMap(({ rateLimitId, entries }) =>
      (entries as Entry[])
        .filter((entry) => matches(entry, dimensions))
        .flatMap(({ dimensions: patterns, requests = [] }) => {
          const values = Object.keys(patterns).map((name) => dimensions[name]);
          return requests.map((rate) => ({ rate, key: JSON.stringify([id, rateLimitId, values, rate.period]) }));
        }),
    );
    const counted = counters.map(({ rate, key }) => ({ rate, key, count: this.#count(key, rate) }));
    if (counted.some(({ rate, count }) => count.calls >= rate.rate)) return false;
    for (const { key, count } of counted) this.#counts.set(key, { ...count, calls: count.calls + 1 });
    return true;
  }

  #count(key: string, { period }: Rate): { from: number; calls: number } {
    const now = this.#now();
    const known = this.#counts.get(key);
    return known && now < known.from + periodMs[period] ? known : { from: now, calls: 0 };
  }
}

function matches({ dimensions: patterns }: Entry, dimensions: Dimensions): boolean {
  return Object.entries(patterns).every(([name, pattern]) => {
    const value = dimensions[name];
    if (value === undefined) return false;
    return pattern.endsWith("*") ? value.startsWith(pattern.slice(0, -1)) : value === pattern;
  });
}

/** The dimensions of an MCP message with the claims of its token. A message that calls no tool has those of the token alone. */
export function dimensionsOf(body: unknown, claims: Record<string, unknown>): Dimensions {
  const { method, params } = (body ?? {}) as { method?: string; params?: { name?: unknown } };
  const name = method === "tools/call" ? String(params?.name ?? "") : undefined;
  const [targetName, ...tool] = name?.split("___") ?? [];
  const ofToken = Object.entries(claims).filter(([, value]) => typeof value === "string");
  return {
    ...Object.fromEntries(ofToken.map(([claim, value]) => [`$.context.jwt.${claim}`, String(value)])),
    ...(name !== undefined && { targetName, toolName: tool.join("___") }),
  };
}
