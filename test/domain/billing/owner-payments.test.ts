import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { ownerPayments, paymentStateSchema } from "../../../domain/billing/owner-payments.ts";
import { openPayments } from "../../support/billing/payments.ts";

let world: Awaited<ReturnType<typeof openPayments>>;
let payments: ReturnType<typeof ownerPayments>;
beforeAll(async () => {
  world = await openPayments();
  const { customers, opened } = world;
  const provider = async () => world.payments;
  const { tenants } = opened.stores;
  payments = ownerPayments({
    payments: provider,
    customers,
    tenants,
    refresh: (sub) => refresh(sub),
    log: world.deps.log,
    automaticTax: false,
  });
});
const refreshed: string[] = [];
let refresh = async (sub: string): Promise<void> => void refreshed.push(sub);
afterAll(() => world.close());

const back = { successUrl: "https://console.example.com/billing", cancelUrl: "https://console.example.com/billing" };

test("what the provider has of a workspace: its subscription, and the owner's invoices that are not paid", async () => {
  const ada = await world.owner();
  const [one, two] = [await world.workspace(ada, 1), await world.workspace(ada, 2)];
  await world.use(ada.customer_id, 3, 1);
  world.local.until("2027-02-01T03:00:00Z");
  const state = await payments.state(two);
  expect(paymentStateSchema.parse(state)).toEqual(state);
  expect(state).toMatchObject({
    subscription: { subscription_id: (await world.tenant(two)).stripe_subscription_id, status: "active" },
    balance: 0,
  });
  expect((await payments.state(one))?.subscription).toMatchObject({ status: "past_due" });
  const [invoice] = state?.invoices.filter(({ total }) => total > 0) ?? [];
  expect(invoice).toMatchObject({ status: "open", total: 3, due: 3, currency: "usd", url: expect.any(String) });
  expect(invoice?.subscription_id).toBe((await world.tenant(one)).stripe_subscription_id);
});

test("what the provider has and we do not know is taken over by looking at it, and a failure of that hides nothing", async () => {
  const ada = await world.owner();
  const one = await world.workspace(ada);
  refreshed.length = 0;
  await payments.state(one);
  expect(refreshed).toEqual([]);
  await world.setUp(ada.customer_id);
  refresh = async (sub) => {
    refreshed.push(sub);
    throw new Error("down");
  };
  expect(await payments.state(one)).toMatchObject({ balance: 0 });
  expect(refreshed).toEqual([ada.sub]);
  expect(world.lines.at(-1)?.message).toContain("could not be taken over");
});

test("pages are opened for the customer of the workspace's owner", async () => {
  const ada = await world.owner();
  const one = await world.workspace(ada);
  expect(await (await fetch(await payments.setupPage(one, back))).text()).toContain("Add a payment method");
  expect(await (await fetch(await payments.portalPage(one, { returnUrl: back.cancelUrl }))).text()).toContain(
    "Billing",
  );
});

test("without a customer, or one that is about to go, there is nothing yet", async () => {
  const nobody = { sub: "nobody", customer_id: (await world.owner()).customer_id };
  const tenantId = await world.workspace(nobody);
  expect(await payments.state(tenantId)).toBeUndefined();
  await expect(payments.setupPage(tenantId, back)).rejects.toMatchObject({ code: "payments_unavailable" });
});

test("a customer that was deleted in the provider's own dashboard is none", async () => {
  const ada = await world.owner();
  const one = await world.workspace(ada);
  await world.local.sdk.customers.del(ada.customer_id);
  expect(await payments.state(one)).toBeUndefined();
  await expect(payments.setupPage(one, back)).rejects.toMatchObject({ code: "payments_unavailable" });
  await expect(payments.portalPage(one, { returnUrl: back.cancelUrl })).rejects.toMatchObject({
    code: "payments_unavailable",
  });
});
