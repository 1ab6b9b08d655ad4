import { describe, expect, test } from "@jest/globals";
import type { PaymentInvoice } from "../../../domain/billing/payment-provider.ts";
import { concerns, isGivenUp, isOwed } from "../../../domain/billing/unpaid.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { anInvoice } from "../../support/billing/invoices.ts";

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

describe("an invoice concerns", () => {
  const tenant = (stripe_subscription_id?: string) => ({ stripe_subscription_id }) as Tenant;
  const [one, two, unbilled] = [tenant("sub_1"), tenant("sub_2"), tenant()];

  test("the workspace whose usage it bills", () => {
    const living = [one, two, unbilled];
    expect(living.map((each) => concerns(anInvoice(), each, living))).toEqual([true, false, false]);
  });

  test("all that are left if that one is no more, or it bills none", () => {
    expect([two, unbilled].map((each) => concerns(anInvoice(), each, [two, unbilled]))).toEqual([true, true]);
    expect(concerns(anInvoice({ subscriptionId: undefined }), unbilled, [two, unbilled])).toBe(true);
  });
});
