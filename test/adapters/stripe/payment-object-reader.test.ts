import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openPayments } from "../../support/billing/payments.ts";

let world: Awaited<ReturnType<typeof openPayments>>;
let ada: { sub: string; customer_id: string };
let tenantId: string;
beforeAll(async () => {
  world = await openPayments();
  ada = await world.owner();
  tenantId = await world.workspace(ada);
});
afterAll(() => world.close());

const read = async (type: string, objectId: string | undefined, id = "evt_unknown") =>
  (await world.deps.account()).objects.read({ id, kind: "changed", type, objectId });

test("the owner of a set-up, a payment method, a customer, a subscription and an invoice is found", async () => {
  await world.setUp(ada.customer_id);
  const session = world.local.stripe.account.checkoutSessions.all().at(-1)?.id;
  const [method = ""] = (await world.payments.paymentMethods(ada.customer_id)).map(({ id }) => id);
  const subscription = (await world.tenant(tenantId)).stripe_subscription_id ?? "";
  await world.use(ada.customer_id, 1);
  world.local.until("2027-02-01T00:00:30Z");
  const [invoice] = await world.payments.invoices(ada.customer_id);
  const whose = { customerId: ada.customer_id, ownerSub: ada.sub };
  expect(await read("v1.checkout.session.completed", session)).toEqual({ ...whose, paymentMethodId: method });
  expect(await read("v1.payment_method.attached", method)).toEqual(whose);
  expect(await read("v1.customer.updated", ada.customer_id)).toEqual(whose);
  expect(await read("v1.customer.subscription.deleted", subscription)).toEqual({
    ...whose,
    tenantId,
    subscription: { id: subscription, status: "active" },
  });
  expect(await read("v1.invoice.paid", invoice?.id)).toMatchObject({ ...whose, invoice: { id: invoice?.id } });
});

test("the owner of a detached payment method is found by its event", async () => {
  const bob = await world.owner();
  await world.setUp(bob.customer_id);
  await world.arrived();
  const [method = ""] = (await world.payments.paymentMethods(bob.customer_id)).map(({ id }) => id);
  await world.onPortal(bob.customer_id, { action: "remove", method });
  const detached = (await world.arrived()).find(({ body }) => body.includes("payment_method.detached"));
  const { id, type } = JSON.parse(detached?.body ?? "{}");
  expect(await read(type, method, id)).toEqual({ customerId: bob.customer_id, ownerSub: bob.sub });
  expect(await read(type, method)).toBeUndefined();
});

test("a payment object that is unknown, unfinished or of another kind belongs to no owner", async () => {
  for (const type of ["checkout.session.completed", "payment_method.attached", "customer.updated", "invoice.paid"]) {
    expect(await read(`v1.${type}`, "none_1")).toBeUndefined();
  }
  expect(await read("v1.customer.subscription.deleted", "sub_none")).toBeUndefined();
  expect(await read("v1.product.created", "prod_1")).toBeUndefined();
  expect(await read("v1.invoice.paid", undefined)).toBeUndefined();
});
