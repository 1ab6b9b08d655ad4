import { expect, test } from "@jest/globals";
import { isDueEarly, isEarly } from "../../../domain/billing/early-invoice.ts";

const usd = 1_000_000_000;

function due(open: number, { drawn = 0, paid = 0, isLimited = true } = {}): Promise<boolean> {
  const allowances = {
    ownerOf: async () => (isLimited ? "owner" : undefined),
    read: async () => ({ drawn: drawn * usd, paid: paid * usd, settled: 0 }),
  };
  return isDueEarly({ allowances, trialCap: 50 * usd }, "t1", open * usd);
}

test("half of the amount that may be unpaid is billed at once", async () => {
  expect([await due(24, { drawn: 24 }), await due(25, { drawn: 25 })]).toEqual([false, true]);
});

test("the limit of unpaid usage grows by four times the amount paid, and so does the amount that is billed early", async () => {
  expect([await due(74, { drawn: 99, paid: 25 }), await due(75, { drawn: 100, paid: 25 })]).toEqual([false, true]);
});

test("only those workspaces of an owner are billed early that have used a tenth of the limit", async () => {
  expect([await due(4, { drawn: 40 }), await due(5, { drawn: 40 })]).toEqual([false, true]);
  expect(await due(14, { drawn: 140, paid: 25 })).toBe(false);
});

test("a workspace that has used less than a tenth of the trial's cap costs no read", async () => {
  const allowances = {
    ownerOf: () => Promise.reject(new Error("read")),
    read: () => Promise.reject(new Error("read")),
  };
  const asked = (open: number) => isDueEarly({ allowances, trialCap: 50 * usd }, "t1", open * usd);
  expect(await asked(4.99)).toBe(false);
  await expect(asked(5)).rejects.toThrow("read");
});

test("an owner who is trusted, or never drew on an allowance, is billed monthly", async () => {
  expect(await due(1_000, { drawn: 1_000, isLimited: false })).toBe(false);
});

test("an invoice of a workspace without a subscription is an early invoice", () => {
  expect(isEarly({ subscriptionId: undefined, tenantId: "t1" })).toBe(true);
  expect(isEarly({ subscriptionId: "sub_1", tenantId: "t1" })).toBe(false);
  // People made it by hand.
  expect(isEarly({ subscriptionId: undefined, tenantId: undefined })).toBe(false);
});
