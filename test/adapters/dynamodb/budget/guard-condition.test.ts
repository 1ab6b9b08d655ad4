// A guard as it is evaluated in memory and as it is compiled say the same of every row: judged by the table in memory and by the local DynamoDB,
// whose expressions are dynalite's.
import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import fc from "fast-check";
import { conditionOf } from "../../../../adapters/dynamodb/budget/guard-condition.ts";
import { spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import { spendingOf } from "../../../../adapters/dynamodb/budget/spending-expressions.ts";
import {
  reservationName,
  shortId,
  stored,
  storedTombstone,
} from "../../../../adapters/dynamodb/budget/stored-reservation.ts";
import { allHold, type Guard } from "../../../../domain/budget/guard.ts";
import {
  aKey,
  aReservation,
  openSpendingTable,
  type SpendingTable,
} from "../../../support/accounting/spending-table.ts";
import { condition } from "../../../support/memory-dynamodb/condition.ts";
import { sizes } from "../../../support/sizes.ts";

let table: SpendingTable;
beforeAll(async () => {
  table = await openSpendingTable();
});
afterAll(() => table.close());

const number = fc.integer({ min: -2, max: 3 });
const id = fc.constantFrom("one", "two");
const label = fc.constantFrom("2/60", "9/60");
const comparison = { is: fc.constantFrom<"<" | "<=" | ">" | ">=">("<", "<=", ">", ">="), bound: number };

const guards: fc.Arbitrary<Guard[]> = fc
  .array(
    fc.oneof(
      fc.record({
        figure: fc.constantFrom("spent" as const, "committed" as const, "inflight" as const),
        ...comparison,
      }),
      fc.record({ figure: fc.constantFrom("tat" as const, "allowance" as const), ...comparison }),
      fc.record({ window: fc.constantFrom("d1", "d2"), ...comparison }),
      fc.record({ label: fc.constantFrom("overdraft" as const, "tatRate" as const), is: fc.constant("none" as const) }),
      fc.record({
        label: fc.constant("overdraft" as const),
        is: fc.constantFrom("same" as const, "other" as const, "none or same" as const),
        as: id,
      }),
      fc.record({
        label: fc.constant("tatRate" as const),
        is: fc.constantFrom("same" as const, "other" as const, "none or same" as const),
        as: label,
      }),
      fc.record({ request: fc.constant("one"), is: fc.constant("absent" as const) }),
      fc.record({ request: fc.constant("one"), is: fc.constant("present" as const) }),
      fc.record({
        request: fc.constant("one"),
        is: fc.constant("at" as const),
        version: fc.integer({ min: 0, max: 2 }),
      }),
    ),
    { minLength: 1, maxLength: 4 },
  )
  .map((all) => all.map((guard, place) => ({ rule: `rule${place}`, ...guard })));

const own = fc.oneof(
  fc.constant({}),
  fc
    .integer({ min: 0, max: 2 })
    .map((version) => ({ [reservationName("one")]: stored(aReservation("one", { version })) })),
  fc.constant({ [reservationName("one")]: storedTombstone({ requestId: "one", leaseEndsAt: 0 }) }),
);
const figures = fc.record(
  {
    ...{ spent: number, committed: number, inflight: number, tat: number, "w#d1": number, "w#d2": number },
    ...{ overdraft: id.map(shortId), tat_rate: label },
  },
  { requiredKeys: [] },
);
const slices = fc.option(
  number.map((allowance) => ({ allowance, allowance_of: "owner" })),
  { nil: {} },
);
const items = fc
  .tuple(figures, own, slices)
  .map(([some, reservation, drawn]) => ({ ...some, ...reservation, ...drawn }));

test("the table in memory accepts a write exactly if its guards hold", () => {
  const seen = { held: 0, failed: 0 };
  fc.assert(
    fc.property(items, guards, (item, all) => {
      const {
        ConditionExpression,
        ExpressionAttributeNames: names = {},
        ExpressionAttributeValues: values = {},
      } = conditionOf(all);
      const isHeld = allHold(all, spendingOf(item));
      seen[isHeld ? "held" : "failed"] += 1;
      expect(condition(ConditionExpression).holds(item, { names, values })).toBe(isHeld);
    }),
    { numRuns: 5_000 },
  );
  expect(Math.min(seen.held, seen.failed)).toBeGreaterThan(500);
});

test("dynalite accepts a write exactly if its guards hold", async () => {
  await fc.assert(
    fc.asyncProperty(items, guards, async (item, all) => {
      const key = aKey();
      await table.putItem(key, item);
      const update = new UpdateCommand({
        TableName: table.tableName,
        Key: spendingRecord.key({ tenant_id: key.tenantId, caller_id: key.callerId, month: key.month }),
        UpdateExpression: "SET touched = if_not_exists(touched, pk)",
        ...conditionOf(all),
      });
      const isWritten = await table.document.send(update).then(
        () => true,
        ({ name }) => (name === "ConditionalCheckFailedException" ? false : name),
      );
      expect(isWritten).toBe(allHold(all, spendingOf(item)));
    }),
    { numRuns: sizes.spendingStates * 3 },
  );
});

test("every number of a missing row counts as 0", async () => {
  const none = conditionOf([{ rule: "room", figure: "committed", is: "<=", bound: 5 }]);
  expect(none.ConditionExpression).toBe("(attribute_not_exists(committed) OR committed <= :room)");
  const some = conditionOf([{ rule: "room", figure: "committed", is: "<=", bound: -1 }]);
  expect(some.ConditionExpression).toBe("committed <= :room");
});
