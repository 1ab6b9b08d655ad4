// What an instance remembers of its callers' spending.
import { describe, expect, test } from "@jest/globals";
import { SpendingMemory } from "../../../../adapters/dynamodb/budget/spending-memory.ts";
import { nothingSpent } from "../../../../domain/budget/spending.ts";
import { aKey, aReservation } from "../../../support/accounting/spending-table.ts";

const credit = { granted: 10_000, spent: 5, committed: 9, reservations: [] };

describe("a memory of spending", () => {
  test("a memory of spending returns nothing for an unknown caller, nor for another month of a known caller", () => {
    const memory = new SpendingMemory(() => 0);
    const key = aKey();
    memory.remember(key, { spending: nothingSpent });
    expect(memory.lastSeen(aKey())).toBeUndefined();
    expect(memory.lastSeen({ ...key, month: "2026-12" })).toBeUndefined();
    expect(memory.lastSeen({ ...key, callerId: "another" })).toBeUndefined();
  });

  test("a memory of spending stores the last figures without the reservations, and passes on the complete state", () => {
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

  test("a memory of spending knows when it read the credit, and keeps the credit when only the caller's item is read", () => {
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

  test("a memory of spending with more than ten thousand callers forgets the one that was not read for longest", () => {
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
