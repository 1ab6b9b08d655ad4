import { describe, expect, test } from "@jest/globals";
import type { Outcome } from "../../../domain/spending/settlement.ts";
import { Bookings, unbookedIn, unbookedMessage, unbookedOf } from "../../../domain/spending/unsettled.ts";

const booked = {
  key: { tenantId: "t1", callerId: "dev", month: "2026-11" },
  reservation: {
    requestId: "r1",
    estimate: 10,
    bounds: { input: 40, output: 3 },
    admittedAt: 1_795_237_200_000,
    expiresAt: 1_795_238_160_000,
    model: "claude-sonnet-5",
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
  },
};
const outcome: Outcome = {
  usage: { input: 1, output: 2, cache_read: 3, cache_write_5m: 4, cache_write_1h: 5 },
  source: "final",
  cost: 7,
};

/** The lines that a booking leaves, as the log writes them. */
async function linesOf(act: (bookings: Bookings) => Promise<void>, fails = true): Promise<string[]> {
  const lines: string[] = [];
  const settle = async () => {
    if (fails) throw new Error("the store is down");
  };
  const log = {
    problem: (message: string, facts: Record<string, unknown>, error: unknown) =>
      void lines.push(JSON.stringify({ level: "ERROR", message, ...facts, causes: [String(error)] })),
  };
  await act(new Bookings({ book: settle, release: settle }, log));
  return lines;
}

describe("what the store does not take", () => {
  test("leaves as a line that holds everything to book it by", async () => {
    const [line = ""] = await linesOf((bookings) => bookings.book(booked, outcome));
    expect(unbookedOf(line)).toEqual({ ...booked, outcome });
    expect(JSON.parse(line)).toMatchObject({ message: unbookedMessage, request_id: "r1", tenant_id: "t1" });
  });

  test("leaves without an outcome if there was nothing to pay", async () => {
    const [line = ""] = await linesOf((bookings) => bookings.release(booked));
    expect(unbookedOf(line)).toEqual(booked);
  });

  test("keeps the free credit's share", async () => {
    const onCredit = { ...booked, reservation: { ...booked.reservation, creditTokens: 43 } };
    const [line = ""] = await linesOf((bookings) => bookings.book(onCredit, outcome));
    expect(unbookedOf(line)?.reservation.creditTokens).toBe(43);
  });

  test("leaves no line if it is taken", async () => {
    expect(await linesOf((bookings) => bookings.book(booked, outcome), false)).toEqual([]);
  });
});

describe("a line that is none of these", () => {
  const good = JSON.stringify({ message: unbookedMessage, unbooked: { ...booked, outcome } });

  test.each([
    ["no JSON", `${good} `.slice(3)],
    ["null", "null"],
    ["another message that quotes this one", JSON.stringify({ message: "request", session_id: good })],
    ["a negative cost", good.replace('"cost":7', '"cost":-7')],
    ["half a token", good.replace('"output":2', '"output":2.5')],
    ["a cost that is text", good.replace('"cost":7', '"cost":"7"')],
    ["no reservation", JSON.stringify({ message: unbookedMessage, unbooked: { key: booked.key, outcome } })],
    ["a time that is none", good.replace("1795237200000", "1e400")],
  ])("is ignored: %s", (_, line) => {
    expect(unbookedOf(line)).toBeUndefined();
  });

  test("is skipped among others, and only those from the time asked for are asked for", async () => {
    const asked: unknown[] = [];
    const lines = async function* (phrase: string, since: number) {
      asked.push([phrase, since]);
      yield* ["noise", good, "{}", good];
    };
    const found: unknown[] = [];
    for await (const each of unbookedIn(lines, 123)) found.push(each);
    expect(found).toEqual([
      { ...booked, outcome },
      { ...booked, outcome },
    ]);
    expect(asked).toEqual([[unbookedMessage, 123]]);
  });
});
