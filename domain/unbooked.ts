// Usage that could not be booked because the store was down: the proxy writes it to the log, the meter books it from there.
import * as z from "zod";
import type { LogLines } from "./log.ts";
import { maxTokenCount } from "./usage.ts";

/** By this message the meter finds the lines. */
export const unbookedMessage = "A request could not be booked";

const tokens = z.int().min(0).max(maxTokenCount);

const unbookedSchema = z.object({
  key: z.object({ tenantId: z.string(), callerId: z.string(), month: z.string() }),
  reservation: z.object({
    requestId: z.string(),
    estimate: z.int().min(0),
    admittedAt: z.number(),
    expiresAt: z.number(),
    model: z.string(),
    profile: z.string(),
    region: z.string(),
    creditTokens: tokens.optional(),
  }),
  outcome: z.object({
    usage: z.object({
      input: tokens,
      output: tokens,
      cache_read: tokens,
      cache_write_5m: tokens,
      cache_write_1h: tokens,
    }),
    source: z.enum(["final", "drained", "estimated"]),
    cost: z.int().min(0),
  }),
});

export type Unbooked = z.output<typeof unbookedSchema>;

/** The usage in a line of the log; undefined for every other line. */
export function unbookedOf(line: string): Unbooked | undefined {
  try {
    const parsed = JSON.parse(line) as { message?: unknown; unbooked?: unknown };
    return parsed.message === unbookedMessage ? unbookedSchema.parse(parsed.unbooked) : undefined;
  } catch {
    return undefined;
  }
}

/** All of them in a log, from a time on. */
export async function* unbookedIn(lines: LogLines, since: number): AsyncGenerator<Unbooked> {
  for await (const line of lines(unbookedMessage, since)) {
    const unbooked = unbookedOf(line);
    if (unbooked) yield unbooked;
  }
}
