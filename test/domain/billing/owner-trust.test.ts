import { expect, test } from "@jest/globals";
import { billedUsage, trusted } from "../../../domain/billing/owner-trust.ts";
import { anInvoice } from "../../support/billing/invoices.ts";
import { terms } from "../../support/billing/trust.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const usd = 1_000_000_000;
const dayMs = 86_400_000;
/** 12 USD billed at a markup of 1.2 are 10 at list price. */
const paid = anInvoice({ status: "paid", quantity: 12_000_000, totalCents: 1_200, dueCents: 0 });
const open = anInvoice({ quantity: 12_000_000 });
const voided = anInvoice({ status: "void", quantity: 12_000_000 });
const charge = { id: "ch_1", paidCents: 1_200, refundedCents: 0, dispute: undefined };
const lost = { id: "du_1", status: "lost" };
const won = { id: "du_1", status: "won" };

test.each([
  ["a charged invoice: paid, at list price", [paid], [charge], [10, 0, 0]],
  ["tax: no usage", [paid], [{ ...charge, paidCents: 1_428 }], [10, 0, 0]],
  ["an open invoice, also while it is a draft or written off: open", [open], [], [0, 0, 10]],
  ["a written-off one: open", [{ ...open, status: "uncollectible" as const }], [], [0, 0, 10]],
  ["a void invoice: settled", [voided], [], [0, 10, 0]],
  ["tax on a paid invoice: no payment of an open one", [paid, open], [{ ...charge, paidCents: 1_428 }], [10, 0, 10]],
  ["one that was paid outside of the provider: paid", [{ ...paid, outsideCents: 1_200 }], [], [10, 0, 0]],
  ["one that was paid in part outside of the provider", [{ ...paid, outsideCents: 600 }], [], [5, 5, 0]],
  ["one that a gift to the balance has paid: settled", [paid], [], [0, 10, 0]],
  [
    "one that money on the balance has paid, of another invoice's credit note: paid",
    [
      { ...paid, creditedCents: 600 },
      { ...paid, quantity: 6_000_000 },
    ],
    [charge],
    [10, 5, 0],
  ],
  ["a refund: settled", [paid], [{ ...charge, refundedCents: 600 }], [5, 5, 0]],
  ["a disputed payment: open, until it is won", [paid], [{ ...charge, dispute: lost }], [0, 0, 10]],
  ["a won dispute: paid", [paid], [{ ...charge, dispute: won }], [10, 0, 0]],
  ["a credit note on a paid invoice: settled", [{ ...paid, creditedCents: 1_200 }], [charge], [0, 10, 0]],
  ["a credit note on an open invoice: settled", [{ ...open, creditedCents: 600 }], [], [0, 5, 5]],
  ["usage below zero: nothing", [{ ...voided, quantity: -5 }], [], [0, 0, 0]],
])("an owner's trust from invoices and charges: %s", (_, invoices, charges, expected) => {
  const { paid, settled, open } = billedUsage({ invoices, charges }, 1.2);
  expect([paid, settled, open]).toEqual(expected.map((amount) => amount * usd));
});

test("an invoice too small to be charged counts as open until the next invoice includes it", () => {
  const small = anInvoice({ status: "paid", quantity: 360_000, dueCents: 0 });
  const account = { invoices: [small], charges: [], carriedCents: 36 };
  expect(billedUsage(account, 1.2)).toEqual({ paid: 0, settled: 0, open: 0.3 * usd });
});

const starter = aTenantOf("ada", "t1");
const read = (
  amount: number,
  {
    since,
    now = 0,
    promoted,
    living = [starter],
    refunded = 0,
    unpaid = 0,
    owedCents = 0,
  }: {
    since?: number;
    now?: number;
    promoted?: string[];
    living?: (typeof starter)[];
    owedCents?: number;
    refunded?: number;
    unpaid?: number;
  },
) =>
  trusted(
    { terms, markup: 1 },
    {
      customer: { method_since: since, promoted },
      living,
      account: {
        invoices: [
          { ...paid, quantity: amount * 1e6 },
          { ...open, quantity: unpaid * 1e6 },
        ],
        charges: [{ ...charge, paidCents: amount * 100, refundedCents: refunded * 100 }],
      },
      hasMethod: true,
      now,
      recognized: { owedCents, cards: ["a card"] },
    },
  );

test("an owner's age counts from the first payment method, and not from a later one", () => {
  expect(read(0, { now: 5 }).trust).toMatchObject({ methodSince: 5, ceiling: terms.firstWeek });
  expect(read(0, { since: 5, now: 8 * dayMs }).trust).toMatchObject({ methodSince: 5, ceiling: terms.firstMonth });
});

test("an owner who has paid ten times the trial's cap leaves the first tier after a month, and not before", () => {
  expect(read(500, { since: 0, now: 29 * dayMs }).tenants).toEqual([starter]);
  expect(read(499, { since: 0, now: 31 * dayMs }).tenants).toEqual([starter]);
  const { tenants, trust } = read(500, { since: 0, now: 31 * dayMs });
  expect([tenants[0]?.tier, trust.promoted, trust.drawn]).toEqual(["pro", ["t1"], undefined]);
});

test("a refund takes back the tier that trust gave, and usage since then counts as drawn; a tier that people chose stays", () => {
  const living = [
    { ...starter, tier: "pro" as const },
    aTenantOf("ada", "t2", { tier: "pro" }),
    aTenantOf("ada", "t3", { tier: "enterprise" }),
  ];
  const later = { since: 0, now: 60 * dayMs, living };
  const { tenants, trust } = read(600, { ...later, promoted: ["t1", "t3"], refunded: 200, unpaid: 7 });
  expect(tenants.map(({ tier }) => tier)).toEqual(["starter", "pro", "enterprise"]);
  expect(trust).toMatchObject({ paid: 400 * usd, settled: 200 * usd, promoted: [], drawn: 607 * usd });
  const stays = read(600, { ...later, promoted: ["t1"] });
  expect([stays.tenants[0]?.tier, stays.trust.promoted]).toEqual(["pro", ["t1"]]);
});

test("what a workspace's callers drew is counted from the invoices only when it comes back to the first tier", () => {
  const { tenants, trust } = read(10, { since: 0, now: 60 * dayMs });
  expect([tenants[0]?.tier, trust.drawn]).toEqual(["starter", undefined]);
});

test("debts left under the owner's address or card reduce the trial, and the owner's cards are stored", () => {
  expect(read(0, { owedCents: 1_234 }).trust).toMatchObject({ owed: 12.34 * usd, cards: ["a card"] });
});
