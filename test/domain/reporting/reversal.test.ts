import { beforeEach, expect, test } from "@jest/globals";
import type { Payer } from "../../../domain/billing/payer.ts";
import type { PaymentSubscription } from "../../../domain/billing/payment-provider.ts";
import { maxReversal, mergeBalance, overpaid } from "../../../domain/reporting/reversal.ts";

const payer: Payer = { customerId: "cus_1", subscriptionId: "sub_1", slot: 2, isDeleted: false };
const startedAt = Date.parse("2027-01-10T12:20:00Z");
const subscription: PaymentSubscription = {
  id: "sub_1",
  customerId: "cus_1",
  status: "active",
  startedAt,
  periodEndsAt: Date.parse("2027-02-01T00:00:00Z"),
};

let asked: unknown[];
let shown: number;
beforeEach(() => {
  [asked, shown] = [[], 9];
});
const payments = {
  aggregatedBetween: async (wanted: unknown) => {
    asked.push(wanted);
    return shown;
  },
};
const most = (now: string, carried = 0, markup = 1) =>
  maxReversal({ payments, markup, now: Date.parse(now) }, { payer, subscription, carried });

test("as much as the present period has so far may be taken back", async () => {
  expect(await most("2027-01-20T05:10:30.5Z")).toBe(9_000);
  expect(await most("2027-02-02T05:10:30.5Z")).toBe(9_000);
  const time = (of: string) => Date.parse(of);
  expect(asked).toEqual([
    { customerId: "cus_1", slot: 2, from: time("2027-01-10T12:00:00Z"), until: time("2027-01-20T05:10:00Z") },
    { customerId: "cus_1", slot: 2, from: time("2027-02-01T00:00:00Z"), until: time("2027-02-02T05:10:00Z") },
  ]);
});

test("the most that an event may take back includes what the event bills besides, is a cost without the markup, and is never below 0", async () => {
  expect(await most("2027-01-20T05:10:00Z", 3)).toBe(12_000);
  expect(await most("2027-01-20T05:10:00Z", 0, 1.5)).toBe(6_000);
  shown = -2;
  expect(await most("2027-01-20T05:10:00Z")).toBe(0);
});

test.each([
  ["late usage is added to the hour's own", 3, 4, { value: 7, carried: 0 }],
  ["late usage lessens what the hour takes back", -3, 4, { value: 1, carried: 0 }],
  ["what earlier events could not take back lessens the hour's own usage", 9, -4, { value: 5, carried: 0 }],
  ["what earlier events could not take back makes no event negative", 3, -4, { value: 0, carried: -1 }],
  ["an hour takes back what its customer has paid, whatever else waits", -3, -4, { value: -3, carried: -4 }],
])("an hour's event: %s", (_, own, carried, event) => {
  expect(mergeBalance(own, carried)).toEqual(event);
});

test("a balance below 0 was paid too much if no usage is left that it could lessen", () => {
  const balance = { carried: 0, fraction: 500_000_000 };
  expect(overpaid({ balance, difference: -2_500 }, 1)).toBe(2);
  expect(overpaid({ balance: { carried: -3, fraction: 0 }, difference: -2_000 }, 1.5)).toBe(6);
  expect(overpaid({ balance, difference: 0 }, 1)).toBe(0);
  expect(overpaid({ balance: { carried: 8, fraction: 0 }, difference: -2_000 }, 1)).toBe(0);
});
