import { beforeEach, describe, expect, test } from "@jest/globals";
import { hourMs } from "../../../domain/kernel/period.ts";
import { type CallQuestion, callsOf } from "../../../domain/ledger/calls.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { maxRows } from "../../../domain/ledger/usage-reader.ts";
import { aRow } from "../../support/accounting/memory-metering.ts";

const now = Date.parse("2026-11-21T05:30:00Z");
const range = { from: Date.parse("2026-11-21T00:00:00Z"), to: Date.parse("2026-11-22T00:00:00Z") };

let rows: LedgerRow[];
let read: (string | undefined)[][];
beforeEach(() => {
  [rows, read] = [[], []];
});

const at = (time: string, changes: Partial<LedgerRow> = {}) => {
  const row = aRow(`r${rows.length}`, { admitted_at: `2026-11-21T${time}.000Z`, ...changes });
  rows.push(row);
  return row;
};

const ask = (question: Partial<CallQuestion> = {}) =>
  callsOf(
    {
      clock: () => now,
      ledger: {
        async *hour(_tenantId, hour, requestId) {
          read.push([hour, requestId]);
          // Pages of two, in the order of their ids as the table gives them.
          const ofHour = rows.filter(({ admitted_at }) => admitted_at.startsWith(hour));
          for (let place = 0; place < ofHour.length; place += 2) yield ofHour.slice(place, place + 2);
        },
      },
    },
    { tenantId: "t1", range, filter: {}, limit: 50, ...question },
  );

const ids = async (question: Partial<CallQuestion>) => (await ask(question)).items.map(({ request_id }) => request_id);

describe("calls", () => {
  test("calls are listed once, the newest first across and within hours, page by page", async () => {
    for (const time of ["03:10:00", "05:01:00", "03:50:00", "05:29:00", "05:01:00", "00:00:00"]) at(time);
    const found: string[] = [];
    let after: string | undefined;
    do {
      const page = await ask({ limit: 2, after });
      expect(page.items.length).toBeGreaterThan(0);
      found.push(...page.items.map(({ request_id }) => request_id));
      after = page.next;
    } while (after !== undefined);
    expect(found).toEqual(["r3", "r4", "r1", "r2", "r0", "r5"]);
  });

  test("calls can be filtered by caller, key, session or request", async () => {
    const [key_id, session_id] = ["k1", "s1"];
    at("01:00:00", { caller_id: "a", key_id });
    at("02:00:00", { caller_id: "a", session_id });
    at("03:00:00", { caller_id: "b", key_id, session_id });
    expect(await ids({ filter: { callerId: "a" } })).toEqual(["r1", "r0"]);
    expect(await ids({ filter: { keyId: "k1" } })).toEqual(["r2", "r0"]);
    expect(await ids({ filter: { sessionId: "s1", callerId: "a" } })).toEqual(["r1"]);
    expect(await ids({ filter: { requestId: "r2" } })).toEqual(["r2"]);
  });

  test("calls are read neither from future hours, nor again from hours before the last page", async () => {
    await ask();
    expect(read.map(([hour]) => hour)).toEqual([5, 4, 3, 2, 1, 0].map((hour) => `2026-11-21T0${hour}`));
    read = [];
    await ask({ after: "2026-11-21T01:30:00.000Z#r9", filter: { requestId: "r1" } });
    expect(read).toEqual([
      ["2026-11-21T01", "r1"],
      ["2026-11-21T00", "r1"],
    ]);
  });

  test("a list of calls that is too long for one answer is refused, unless its page is full before", async () => {
    rows = Array<LedgerRow>(maxRows + 1).fill(aRow("many", { admitted_at: "2026-11-21T02:00:00.000Z" }));
    for (let n = 0; n < 3; n++) at("05:00:00", { caller_id: "rare" });
    expect((await ask({ limit: 2 })).items).toHaveLength(2);
    await expect(ask({ filter: { callerId: "rare" } })).rejects.toMatchObject({
      message: expect.stringContaining("fewer hours"),
    });
  });

  test("calls are not searched over more than one day", async () => {
    await ask({ range: { from: range.from - 48 * hourMs, to: range.to } });
    expect(read).toHaveLength(24);
  });
});
