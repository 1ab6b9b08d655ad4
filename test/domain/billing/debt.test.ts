import { expect, test } from "@jest/globals";
import {
  debtsOf,
  disputedReason,
  isGivenUp,
  isOwed,
  newReason,
  owedCents,
  unpaidReason,
  withDebts,
} from "../../../domain/billing/debt.ts";
import type { PaymentCharge, PaymentInvoice } from "../../../domain/billing/payment-provider.ts";
import { anInvoice } from "../../support/billing/invoices.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

test.each<[string, Partial<PaymentInvoice>, owed: boolean, givenUp: boolean]>([
  ["open, with nobody to try again", {}, true, true],
  ["open, to be tried again", { nextAttemptAt: 1 }, true, false],
  ["open, of which nothing is due", { dueCents: 0 }, false, false],
  ["written off", { status: "uncollectible", dueCents: 0 }, true, true],
  ["a draft", { status: "draft" }, false, false],
  ["paid", { status: "paid", dueCents: 0 }, false, false],
  ["void", { status: "void" }, false, false],
])("an invoice that is %s", (_, changes, owed, givenUp) => {
  expect([isOwed(anInvoice(changes)), isGivenUp(anInvoice(changes))]).toEqual([owed, givenUp]);
});

const charged = (status?: string): PaymentCharge => ({
  id: "ch_1",
  paidCents: 300,
  refundedCents: 0,
  dispute: status === undefined ? undefined : { id: "du_1", status },
});

test("a debt begins when Stripe stops collecting it and ends by payment, not by another attempt", () => {
  const retried = anInvoice({ nextAttemptAt: 1 });
  expect(debtsOf({ invoices: [retried], charges: [] })).toEqual([]);
  expect(debtsOf({ invoices: [anInvoice()], charges: [] })).toEqual(["in_1"]);
  expect(debtsOf({ invoices: [retried], charges: [] }, ["in_1"])).toEqual(["in_1"]);
  expect(debtsOf({ invoices: [anInvoice({ status: "paid", dueCents: 0 })], charges: [] }, ["in_1"])).toEqual([]);
});

test("an owner owes open and written-off invoices, the rest of disputed payments, and what was too small to be charged", () => {
  const invoices = [
    anInvoice(),
    anInvoice({ status: "uncollectible", dueCents: 200 }),
    anInvoice({ status: "draft" }),
    anInvoice({ status: "void" }),
  ];
  const charges = [{ ...charged("lost"), refundedCents: 100 }, charged("won"), charged()];
  expect(owedCents({ invoices, charges, carriedCents: 40 })).toBe(300 + 200 + 200 + 40);
  expect(owedCents({ invoices: [], charges: [] })).toBe(0);
});

test("debts are in the order of their ids, whatever the provider's order is", () => {
  const invoices = ["in_2", "in_1"].map((id) => anInvoice({ id }));
  expect(debtsOf({ invoices, charges: [charged("lost")] })).toEqual(["du_1", "in_1", "in_2"]);
});

test.each([
  ["needs_response", true],
  ["under_review", true],
  ["lost", true],
  ["won", false],
  ["warning_needs_response", false],
  [undefined, false],
])("a payment whose dispute is %s is a debt: %s", (status, isDebt) => {
  expect(debtsOf({ invoices: [], charges: [charged(status)] })).toEqual(isDebt ? ["du_1"] : []);
});

test("a new debt suspends the workspace, a known debt does not suspend it again, and without debts a workspace that was suspended for one is resumed", () => {
  const [now, active] = [0, aTenantOf("ada", "t1")];
  const disputed = [charged("lost")];
  expect(newReason(["in_1"], [], disputed)).toBe(unpaidReason);
  expect(newReason(["du_1", "in_1"], ["in_1"], disputed)).toBe(disputedReason);
  expect(newReason(["in_1"], ["in_1", "in_2"], [])).toBeUndefined();
  const both = [...disputed, { ...charged(), dispute: { id: "du_2", status: "lost" } }];
  expect(newReason(["du_1", "du_2"], ["du_1"], both)).toBe(disputedReason);
  const suspended = withDebts(active, { owes: true, reason: disputedReason, now });
  expect(suspended).toMatchObject({ status: "suspended", suspended_reason: disputedReason });
  expect(withDebts(suspended, { owes: true, reason: unpaidReason, now })).toBe(suspended);
  expect(withDebts(suspended, { owes: false, reason: undefined, now })).toEqual(active);
  const unpaid = withDebts(active, { owes: true, reason: unpaidReason, now });
  expect(withDebts(unpaid, { owes: false, reason: undefined, now })).toEqual(active);
  const deleted = { ...unpaid, status: "deleted" as const };
  expect(withDebts(deleted, { owes: false, reason: undefined, now })).toBe(deleted);
  // As an administrator has resumed or suspended it.
  expect(withDebts(active, { owes: true, reason: undefined, now })).toBe(active);
  const abuse = aTenantOf("ada", "t1", { status: "suspended", suspended_reason: "Abuse" });
  expect(withDebts(abuse, { owes: false, reason: undefined, now })).toBe(abuse);
});
