import { expect, test } from "@jest/globals";
import { paidUsage, withTrust } from "../../../domain/billing/paid-usage.ts";
import { anInvoice } from "../../support/billing/invoices.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const usd = 1_000_000_000;
const paid = anInvoice({ status: "paid", quantity: 12_000_000, totalCents: 1_200 });
const charge = { id: "ch_1", paidCents: 1_200, refundedCents: 0, dispute: undefined };
const lost = { id: "du_1", status: "lost" };

test.each([
  ["usage on a paid invoice, at list price", [paid], [charge], 10],
  ["nothing of one that is open", [anInvoice()], [], 0],
  ["no tax", [paid], [{ ...charge, paidCents: 1_428 }], 10],
  ["nothing that was never charged", [paid], [], 0],
  ["nothing that was refunded", [paid], [{ ...charge, refundedCents: 600 }], 5],
  ["nothing that a bank took back", [paid], [{ ...charge, dispute: lost }], 0],
  ["nothing that was credited", [{ ...paid, creditedCents: 1_200 }], [charge], 0],
])("what was paid is %s", (_, invoices, charges, expected) => {
  expect(paidUsage({ invoices, charges }, 1.2)).toBe(expected * usd);
});

test("who has paid ten times the trial's cap leaves the first tier; other tiers are people's", () => {
  const starter = aTenantOf("ada", "t1");
  expect(withTrust(starter, 50 * usd, 499 * usd)).toBe(starter);
  expect(withTrust(starter, 50 * usd, 500 * usd)).toEqual({ ...starter, tier: "pro" });
  const chosen = aTenantOf("ada", "t1", { tier: "enterprise" });
  expect(withTrust(chosen, 50 * usd, 0)).toBe(chosen);
});
