import { describe, expect, test } from "@jest/globals";
import type { Outcome } from "../../../domain/budget/ledger-row.ts";
import type { Settleable } from "../../../domain/budget/settlement.ts";
import { SettlementWriter } from "../../../domain/budget/settlement-writer.ts";
import {
  maxAgeMs,
  replay,
  type UnsettledUsage,
  unsettledMessage,
  unsettledOf,
} from "../../../domain/budget/unsettled.ts";

const settled: Settleable = {
  key: { tenantId: "t1", callerId: "dev", month: "2026-11" },
  reservation: {
    requestId: "r1",
    amount: 10,
    version: 2,
    leaseEndsAt: 1_795_238_160_000,
    overdraft: false,
    admittedAt: 1_795_237_200_000,
    profile: "eu.anthropic.claude-sonnet-5",
    region: "eu-central-1",
    bounds: { input: 40, output: 3 },
    onCredit: false,
  },
};
const outcome: Outcome = {
  usage: { input: 1, output: 2, cache_read: 3, cache_write_5m: 4, cache_write_1h: 5 },
  source: "final",
  cost: 7,
};

/** What a settlement leaves: messages in the queue, and lines as the log writes them. */
async function leftBy(
  act: (settlements: SettlementWriter) => Promise<void>,
  { store = false, queue = false }: { store?: boolean; queue?: boolean } = {},
) {
  const [lines, messages]: [string[], UnsettledUsage[]] = [[], []];
  const settle = async () => {
    if (!store) throw new Error("the store is down");
  };
  const unsettled = {
    async send(message: UnsettledUsage) {
      if (!queue) throw new Error("the queue is down");
      messages.push(message);
    },
  };
  const log = {
    problem: (message: string, facts: Record<string, unknown>, error: unknown) =>
      void lines.push(JSON.stringify({ level: "ERROR", message, ...facts, causes: [String(error)] })),
  };
  await act(new SettlementWriter({ settle, release: settle, giveUp: settle }, unsettled, log));
  return { lines, messages };
}

describe("what the store does not take", () => {
  test("usage that the store does not accept goes to the queue with everything needed to settle it, and is not logged", async () => {
    const left = await leftBy((settlements) => settlements.settle(settled, outcome), { queue: true });
    expect(left).toEqual({ lines: [], messages: [{ ...settled, outcome }] });
  });

  test("usage that neither store nor queue accepts is logged with everything needed to settle it", async () => {
    const { lines } = await leftBy((settlements) => settlements.settle(settled, outcome));
    const [line = ""] = lines;
    expect(unsettledOf(line)).toEqual({ ...settled, outcome });
    expect(JSON.parse(line)).toMatchObject({ message: unsettledMessage, request_id: "r1", tenant_id: "t1" });
  });

  test("usage that the store does not accept has no outcome if there was nothing to pay", async () => {
    const { lines } = await leftBy((settlements) => settlements.release(settled));
    expect(unsettledOf(lines[0] ?? "")).toEqual(settled);
  });

  test("usage that the store does not accept says so if its admission was given up and must not take effect", async () => {
    const { messages } = await leftBy((settlements) => settlements.giveUp(settled), { queue: true });
    expect(messages).toEqual([{ ...settled, givenUp: true }]);
  });

  test("usage that the store does not accept keeps the share of the free credit", async () => {
    const onCredit = { ...settled, reservation: { ...settled.reservation, onCredit: true } };
    const { lines } = await leftBy((settlements) => settlements.settle(onCredit, outcome));
    expect(unsettledOf(lines[0] ?? "")?.reservation.onCredit).toBe(true);
  });

  test("usage that the store accepts is neither queued nor logged", async () => {
    const left = await leftBy((settlements) => settlements.settle(settled, outcome), { store: true });
    expect(left).toEqual({ lines: [], messages: [] });
  });
});

describe("the facts in a line", () => {
  const whole = {
    ...settled,
    reservation: { ...settled.reservation, onPlatform: true, known: 5, held: { d21: 3 } },
    ...{ isOld: true, answerLost: true, givenUp: true },
    outcome: {
      ...outcome,
      parts: { input: 1, output: 2, cache_read: 1, cache_write_5m: 1, cache_write_1h: 2, saved: -1 },
      known: { cost: 6, tokens: 15 },
      provisional: true,
      ...{ key_id: "k1", session_id: "s1", agent_id: "a1" },
    },
  };
  const lineOf = (unsettled: object) => JSON.stringify({ message: unsettledMessage, unsettled });

  /** The facts once for each that fits, with another value there. */
  function* changes(facts: object, to: unknown, fits: (fact: unknown) => boolean): Generator<[string, object]> {
    for (const [name, fact] of Object.entries(facts)) {
      if (fits(fact)) yield [name, { ...facts, [name]: to }];
      if (typeof fact !== "object") continue;
      for (const [inner, changed] of changes(fact, to, fits)) yield [`${name}.${inner}`, { ...facts, [name]: changed }];
    }
  }
  const accepted = (to: unknown, fits: (fact: unknown) => boolean) =>
    [...changes(whole, to, fits)].filter(([, facts]) => unsettledOf(lineOf(facts))).map(([name]) => name);
  const isNumber = (fact: unknown) => typeof fact === "number";

  test("a line of the log has every fact that the settlement needs", () => {
    expect(unsettledOf(lineOf(whole))).toEqual(whole);
  });

  test("a line of the log is ignored if an amount is negative, other than what caching has saved", () => {
    const mayBeNegative = ["reservation.leaseEndsAt", "reservation.admittedAt", "outcome.parts.saved"];
    expect(accepted(-1, isNumber)).toEqual(mayBeNegative);
  });

  test("a line of the log is ignored if a fact of it has another type", () => {
    expect(accepted(0.5, isNumber)).toEqual([]);
    expect(accepted([], () => true)).toEqual([]);
  });
});

test("usage may wait for its settlement for forty days", () => {
  expect(Date.parse("2026-11-21") + maxAgeMs).toBe(Date.parse("2026-12-31"));
});

describe("a line that is none of these", () => {
  const good = JSON.stringify({ message: unsettledMessage, unsettled: { ...settled, outcome } });

  test.each([
    ["no JSON", `${good} `.slice(3)],
    ["null", "null"],
    ["another message that quotes this one", JSON.stringify({ message: "request", session_id: good })],
    ["another message with the same facts", good.replace(unsettledMessage, "A request was settled")],
    ["a negative cost", good.replace('"cost":7', '"cost":-7')],
    ["half a token", good.replace('"output":2', '"output":2.5')],
    ["a cost that is text", good.replace('"cost":7', '"cost":"7"')],
    ["no reservation", JSON.stringify({ message: unsettledMessage, unsettled: { key: settled.key, outcome } })],
    ["a time that is none", good.replace("1795237200000", "1e400")],
  ])("a log line that is not unsettled usage is ignored: %s", (_, line) => {
    expect(unsettledOf(line)).toBeUndefined();
  });

  test("log lines that are not unsettled usage are skipped when lines are replayed into the queue", async () => {
    const sent: UnsettledUsage[] = [];
    const lines = async function* () {
      yield* ["noise", good, "{}", good];
    };
    const queue = { send: async (unsettled: UnsettledUsage) => void sent.push(unsettled) };
    expect(await replay(lines(), queue)).toBe(2);
    expect(sent).toEqual([
      { ...settled, outcome },
      { ...settled, outcome },
    ]);
  });
});
