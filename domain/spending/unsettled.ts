// Usage that could not be booked because the store was down: the proxy writes it to the log, the meter books it from there.
import * as z from "zod";
import type { Log, LogLines } from "../log.ts";
import type { Booked, Outcome, Settlements } from "./settlement.ts";
import { maxTokenCount } from "../messages/usage.ts";

/** By this message the meter finds the lines. */
export const unbookedMessage = "A request could not be booked";

const tokens = z.int().min(0).max(maxTokenCount);

const unbookedSchema = z.object({
  key: z.object({ tenantId: z.string(), callerId: z.string(), month: z.string() }),
  reservation: z.object({
    requestId: z.string(),
    estimate: z.int().min(0),
    bounds: z.object({ input: tokens, output: tokens }),
    admittedAt: z.int(),
    expiresAt: z.int(),
    model: z.string(),
    profile: z.string(),
    region: z.string(),
    creditTokens: tokens.optional(),
  }),
  /** None if the model host billed nothing: the reservation is to be given back. */
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
    })
    .optional(),
});

export type Unbooked = z.output<typeof unbookedSchema>;

/** The proxy's settlements. They never reject: what the store does not take is written to the log. */
export class Bookings {
  readonly #settlements: Pick<Settlements, "book" | "release">;
  readonly #log: Pick<Log, "problem">;

  constructor(settlements: Pick<Settlements, "book" | "release">, log: Pick<Log, "problem">) {
    this.#settlements = settlements;
    this.#log = log;
  }

  async book(booked: Booked, outcome: Outcome): Promise<void> {
    await this.#settlements.book(booked, outcome).catch((error) => this.#write(booked, outcome, error));
  }

  async release(booked: Booked): Promise<void> {
    await this.#settlements.release(booked).catch((error) => this.#write(booked, undefined, error));
  }

  #write({ key, reservation }: Booked, outcome: Outcome | undefined, error: unknown): void {
    const facts = { request_id: reservation?.requestId, tenant_id: key.tenantId };
    this.#log.problem(unbookedMessage, { ...facts, unbooked: { key, reservation, outcome } }, error);
  }
}

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
