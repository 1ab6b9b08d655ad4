// Usage that could not be settled because the store was down. It waits in a queue or, if the queue does not answer either, in the
// log, from which an operator replays it (docs/operations.md).
import * as z from "zod";
import { maxTokenCount } from "../catalog/token-usage.ts";
import { dayMs } from "../kernel/period.ts";
import type { Queue } from "../kernel/queue.ts";

/** The message of the log lines that hold unsettled usage. */
export const unsettledMessage = "A request could not be settled";

/** Usage is settled until this long after the call's admission, and not any more after that: settling it needs the ledger row. */
export const maxAgeMs = dayMs * 40;

const tokens = z.int().min(0).max(maxTokenCount);

export const unsettledSchema = z.object({
  key: z.object({ tenantId: z.string(), callerId: z.string(), month: z.string() }),
  reservation: z.object({
    requestId: z.string(),
    amount: z.int().min(0),
    version: z.int().min(0),
    leaseEndsAt: z.int(),
    overdraft: z.boolean(),
    admittedAt: z.int(),
    profile: z.string(),
    region: z.string(),
    bounds: z.object({ input: tokens, output: tokens }),
    onCredit: z.boolean(),
    onPlatform: z.boolean().optional(),
    known: z.int().min(0).optional(),
    held: z.record(z.string(), z.int().min(0)).optional(),
  }),
  isOld: z.boolean().optional(),
  answerLost: z.boolean().optional(),
  /** True if the admission was given up: it must not take effect, however late it comes. */
  givenUp: z.boolean().optional(),
  /** Undefined if the model host billed nothing. */
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
      parts: z
        .object({
          input: z.int().min(0),
          output: z.int().min(0),
          cache_read: z.int().min(0),
          cache_write_5m: z.int().min(0),
          cache_write_1h: z.int().min(0),
          saved: z.int(),
        })
        .optional(),
      known: z.object({ cost: z.int().min(0), tokens: z.int().min(0) }).optional(),
      provisional: z.literal(true).optional(),
      key_id: z.string().optional(),
      session_id: z.string().optional(),
      agent_id: z.string().optional(),
    })
    .optional(),
});

export type UnsettledUsage = z.output<typeof unsettledSchema>;

/** The unsettled usage in a line of the log; undefined for other lines. */
export function unsettledOf(line: string): UnsettledUsage | undefined {
  try {
    const parsed = JSON.parse(line) as { message?: unknown; unsettled?: unknown };
    return parsed.message === unsettledMessage ? unsettledSchema.parse(parsed.unsettled) : undefined;
  } catch {
    return undefined;
  }
}

/** Sends the unsettled usage in these lines of the log to the queue, and returns how many there were. @throws what the queue throws */
export async function replay(
  lines: AsyncIterable<string>,
  queue: Pick<Queue<UnsettledUsage>, "send">,
): Promise<number> {
  let replayed = 0;
  for await (const line of lines) {
    const unsettled = unsettledOf(line);
    if (!unsettled) continue;
    await queue.send(unsettled);
    replayed += 1;
  }
  return replayed;
}
