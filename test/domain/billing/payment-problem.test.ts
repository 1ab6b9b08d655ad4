import { expect, test } from "@jest/globals";
import type { PaymentEventKind } from "../../../domain/billing/payment-event.ts";
import { problemsOf, telemetryFacts } from "../../../domain/billing/payment-problem.ts";
import { anInvoice } from "../../support/billing/invoices.ts";
import { aTenantOf } from "../../support/people/tenants.ts";

const living = [aTenantOf("ada", "t1", { stripe_subscription_id: "sub_1" })];
const draft = anInvoice({ status: "draft" });
const about = { customerId: "cus_1", ownerSub: "ada", tenantId: undefined };
const event = (kind: PaymentEventKind) => ({ id: "evt_1", kind, type: "of the provider", objectId: "x" });
const made = { newId: () => "id", now: 0 };
const found = (kind: PaymentEventKind, more: object = {}, isGone = false, of = living) =>
  problemsOf(
    { event: event(kind), about: { ...about, ...more }, isGone, isUntaxed: false, incidents: [], living: of },
    made,
  );

test("an event that shows nothing wrong is not recorded as a problem", () => {
  const subscription = { id: "sub_1", status: "active" };
  expect(found("changed", { subscription })).toEqual([]);
  expect(found("invoice_final", { invoice: draft })).toEqual([]);
  expect(found("invoice_not_final", { invoice: { ...draft, status: "open" } })).toEqual([]);
});

test("an invoice that stays a draft is recorded in its workspace's audit trail, and in the platform's if the workspace is gone", () => {
  const [problem] = found("invoice_not_final", { invoice: draft });
  expect(problem).toMatchObject({ reason: "not_final", facts: { tenant_id: "t1", invoice_id: "in_1" } });
  expect(problem?.entry).toMatchObject({ tenant_id: "t1", actor: "stripe", target: "in_1" });
  expect(problem && telemetryFacts(problem)).toEqual({ tenant_id: "t1", invoice_id: "in_1" });
  const [other] = found("invoice_not_final", { invoice: { ...draft, subscriptionId: "sub_9" } });
  expect(other?.entry.tenant_id).toBe("platform");
  expect(other?.facts).toStrictEqual({ customer_id: "cus_1", invoice_id: "in_1" });
  expect(other && telemetryFacts(other)).toStrictEqual({ invoice_id: "in_1" });
});

test("an invoice without a subscription is not taken for that of a workspace without one", () => {
  const starting = [aTenantOf("ada", "t2", { stripe_subscription_id: undefined })];
  const invoice = { ...draft, subscriptionId: undefined };
  expect(found("invoice_not_final", { invoice }, false, starting)[0]?.entry.tenant_id).toBe("platform");
});

test("an invoice without its tax is reported once, while it is a draft", () => {
  const untaxed = (kind: PaymentEventKind) =>
    problemsOf(
      {
        event: event(kind),
        about: { ...about, invoice: draft },
        isGone: false,
        isUntaxed: true,
        incidents: [],
        living,
      },
      made,
    );
  expect(untaxed("invoice_created")).toMatchObject([
    { reason: "untaxed", facts: { tenant_id: "t1", invoice_id: "in_1" }, entry: { action: "invoice.untaxed" } },
  ]);
  expect(untaxed("changed")).toEqual([]);
});

test("a subscription that ended is recorded as a problem, unless its workspace is deleted", () => {
  const ended = (id: string) => found("changed", { subscription: { id, status: "canceled" } });
  const [problem] = ended("sub_1");
  expect(problem).toMatchObject({ reason: "ended", entry: { tenant_id: "t1", action: "subscription.end" } });
  expect(problem?.facts).toEqual({ tenant_id: "t1", customer_id: "cus_1", subscription_id: "sub_1" });
  expect(problem && telemetryFacts(problem)).toStrictEqual({ tenant_id: "t1" });
  expect(ended("sub_9")).toEqual([]);
});

test("a deleted customer is reported together with other problems of the event", () => {
  const subscription = { id: "sub_1", status: "canceled" };
  const problems = found("changed", { subscription }, true);
  expect(problems.map(({ reason }) => reason)).toEqual(["customer_deleted", "ended"]);
  expect(problems[0]?.facts).toEqual({ tenant_id: "t1", customer_id: "cus_1" });
  expect(problems[0]?.entry).toMatchObject({ tenant_id: "t1", target: "cus_1", after: { customer_id: "cus_1" } });
});

test("a customer that was deleted with the owner's last workspace is no problem", () => {
  const subscription = { id: "sub_1", status: "canceled" };
  expect(found("changed", { subscription }, true, [])).toEqual([]);
});
