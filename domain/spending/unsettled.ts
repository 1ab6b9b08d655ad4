// Usage that could not be settled because the store was down: the proxy writes it to the log, the meter settles it from there.
import * as z from "zod";
import type { LogLines } from "../log.ts";
import { maxTokenCount } from "../messages/usage.ts";

/** By this message the meter finds the lines. */
export const unsettledMessage = "A request could not be settled";

const tokens = z.int().min(0).max(maxTokenCount);

const unsettledSchema = z.object({
  key: z.object({ tenantId: z.string(), callerId: z.string(), month: z.string() }),
  reservation: z.object({
    requestId: z.string(),
    reservedCost: z.int().min(0),
    bounds: z.object({ input: tokens, output: tokens }),
    admittedAt: z.int(),
    expiresAt: z.int(),
    model: z.string(),
    profile: z.string(),
    region: z.string(),
    creditTokens: tokens.optional(),
  }),
  /** None if the model host billed nothing: the reservation is to be released. */
  outcome: z
    .object({
      usage: z.object({
        input: tokens,
        output: tokens,
        cache_read: tokens,
        cache_write_5m: tokens,
        cache_write_1h: tokens,
      }),
      source: z.enum(["final", "drained", "estimated"]),
      cost: z.int().min(0),
      session_id: z.string().optional(),
      agent_id: z.string().optional(),
    })
    .optional(),
});

export type UnsettledUsage = z.output<typeof unsettledSchema>;

/** The usage in a line of the log; undefined for every other line. */
export function unsettledOf(line: string): UnsettledUsage | undefined {
  try {
    const parsed = JSON.parse(line) as { message?: unknown; unsettled?: unknown };
    return parsed.message === unsettledMessage ? unsettledSchema.parse(parsed.unsettled) : undefined;
  } catch {
    return undefined;
  }
}

/** All of them in a log, from a time on. */
export async function* unsettledIn(lines: LogLines, since: number): AsyncGenerator<UnsettledUsage> {
  for await (const line of lines(unsettledMessage, since)) {
    const unsettled = unsettledOf(line);
    if (unsettled) yield unsettled;
  }
}
