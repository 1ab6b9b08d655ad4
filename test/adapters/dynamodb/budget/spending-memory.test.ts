// What an instance remembers of its callers' spending.
import { describe, expect, test } from "@jest/globals";
import { SpendingMemory } from "../../../../adapters/dynamodb/budget/spending-memory.ts";
import { nothingSpent } from "../../../../domain/budget/spending.ts";
import { aKey, aReservation } from "../../../support/accounting/spending-table.ts";

const credit = { granted: 10_000, spent: 5, committed: 9, reservations: [] };

describe("a memory of spending", () => {
  test("a memory of spending has nothing of an unknown caller, nor of the caller's other months", () => {
    const memory = new SpendingMemory(() => 0);
    const key = aKey();
    memory.remember(key, { spending: nothingSpent });
    expect(memory.lastSeen(aKey())).toBeUndefined();
    expect(memory.lastSeen({ ...key, month: "2026-12" })).toBeUndefined();
    expect(memory.lastSeen({ ...key, callerId: "another" })).toBeUndefined();
  });

  test("a memory of spending keeps the last figures, without the reservations, and hands on the state whole", () => {
    const memory = new SpendingMemory(() => 0);
    const key = aKey();
    const tombstones = [{ requestId: "r2", leaseEndsAt: 0 }];
    const spending = {
      ...nothingSpent,
      spent: 7,
      tat: 3,
      overdraft: "r1",
      reservations: [aReservation("r1")],
      tombstones,
    };
    memory.remember(key, { spending: nothingSpent });
    expect(memory.remember(key, { spending })).toEqual({ spending });
    expect(memory.lastSeen(key)).toEqual({ spending: { ...spending, reservations: [], tombstones: [] } });
  });

  test("a memory of spending says when it saw the credit, and keeps it while only the caller's own item is seen", () => {
    let now = 100;
    const memory = new SpendingMemory(() => now);
    const key = aKey();
    const reservations = [{ requestId: "r1", callerId: "dev", month: "2026-11", tokens: 9, leaseEndsAt: 0 }];
    memory.remember(key, { spending: nothingSpent, credit: { ...credit, reservations } });
    now = 200;
    memory.remember(key, { spending: { ...nothingSpent, spent: 1 } });
    expect(memory.lastSeen(key)).toEqual({ spending: { ...nothingSpent, spent: 1 }, credit, creditSeenAt: 100 });
    memory.remember(key, { spending: nothingSpent, credit: { ...credit, spent: 6 } });
    expect(memory.lastSeen(key)).toMatchObject({ credit: { spent: 6 }, creditSeenAt: 200 });
  });

  test("a memory of spending forgets the caller longest unseen, above ten thousand", () => {
    const memory = new SpendingMemory(() => 0);
    const [first, second, ...others] = Array.from({ length: 10_001 }, aKey);
    if (!first || !second) throw new Error("no callers");
    for (const key of [first, second]) memory.remember(key, { spending: nothingSpent });
    memory.remember(first, { spending: nothingSpent });
    for (const key of others) memory.remember(key, { spending: nothingSpent });
    expect(memory.lastSeen(first)).toBeDefined();
    expect(memory.lastSeen(second)).toBeUndefined();
  });
});
