import { describe, expect, test } from "@jest/globals";
import type { Outcome } from "../../../domain/spending/settlement.ts";
import { SettlementWriter } from "../../../domain/spending/settlement-writer.ts";
import { unsettledIn, unsettledMessage, unsettledOf } from "../../../domain/spending/unsettled.ts";

const settled = {
  key: { tenantId: "t1", callerId: "dev", month: "2026-11" },
  reservation: {
    requestId: "r1",
    reservedCost: 10,
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

/** The lines that a settlement leaves, as the log writes them. */
async function linesOf(act: (settlements: SettlementWriter) => Promise<void>, fails = true): Promise<string[]> {
  const lines: string[] = [];
  const settle = async () => {
    if (fails) throw new Error("the store is down");
  };
  const log = {
    problem: (message: string, facts: Record<string, unknown>, error: unknown) =>
      void lines.push(JSON.stringify({ level: "ERROR", message, ...facts, causes: [String(error)] })),
  };
  await act(new SettlementWriter({ settle: settle, release: settle }, log));
  return lines;
}

describe("what the store does not take", () => {
  test("leaves as a line that holds everything to settle it by", async () => {
    const [line = ""] = await linesOf((settlements) => settlements.settle(settled, outcome));
    expect(unsettledOf(line)).toEqual({ ...settled, outcome });
    expect(JSON.parse(line)).toMatchObject({ message: unsettledMessage, request_id: "r1", tenant_id: "t1" });
  });

  test("leaves without an outcome if there was nothing to pay", async () => {
    const [line = ""] = await linesOf((settlements) => settlements.release(settled));
    expect(unsettledOf(line)).toEqual(settled);
  });

  test("keeps the free credit's share", async () => {
    const onCredit = { ...settled, reservation: { ...settled.reservation, creditTokens: 43 } };
    const [line = ""] = await linesOf((settlements) => settlements.settle(onCredit, outcome));
    expect(unsettledOf(line)?.reservation.creditTokens).toBe(43);
  });

  test("leaves no line if it is taken", async () => {
    expect(await linesOf((settlements) => settlements.settle(settled, outcome), false)).toEqual([]);
  });
});

describe("a line that is none of these", () => {
  const good = JSON.stringify({ message: unsettledMessage, unsettled: { ...settled, outcome } });

  test.each([
    ["no JSON", `${good} `.slice(3)],
    ["null", "null"],
    ["another message that quotes this one", JSON.stringify({ message: "request", session_id: good })],
    ["a negative cost", good.replace('"cost":7', '"cost":-7')],
    ["half a token", good.replace('"output":2', '"output":2.5')],
    ["a cost that is text", good.replace('"cost":7', '"cost":"7"')],
    ["no reservation", JSON.stringify({ message: unsettledMessage, unsettled: { key: settled.key, outcome } })],
    ["a time that is none", good.replace("1795237200000", "1e400")],
  ])("is ignored: %s", (_, line) => {
    expect(unsettledOf(line)).toBeUndefined();
  });

  test("is skipped among others, and only those from the time asked for are asked for", async () => {
    const asked: unknown[] = [];
    const lines = async function* (phrase: string, since: number) {
      asked.push([phrase, since]);
      yield* ["noise", good, "{}", good];
    };
    const found: unknown[] = [];
    for await (const each of unsettledIn(lines, 123)) found.push(each);
    expect(found).toEqual([
      { ...settled, outcome },
      { ...settled, outcome },
    ]);
    expect(asked).toEqual([[unsettledMessage, 123]]);
  });
});
