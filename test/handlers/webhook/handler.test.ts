import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { disputedReason, unpaidReason } from "../../../domain/billing/debt.ts";
import { reconcileOwner } from "../../../domain/billing/reconciliation.ts";
import { aSubscription } from "../../../emulators/test/support/local-stripe.ts";
import { webhookHandler } from "../../../handlers/webhook/handler.ts";
import { cards, type Delivery, openPayments } from "../../support/billing/payments.ts";

let world: Awaited<ReturnType<typeof openPayments>>;
beforeEach(async () => {
  world = await openPayments();
});
afterEach(() => world.close());

/** As the provider signs. */
function signed(body: string, secret = world.signingSecret, at = world.local.clock.now()): Delivery {
  const seconds = Math.floor(at / 1000);
  const signature = `t=${seconds},v1=${createHmac("sha256", secret).update(`${seconds}.${body}`).digest("hex")}`;
  return { body, signature };
}

const typesOf = (deliveries: Delivery[]) => deliveries.map(({ body }) => JSON.parse(body).type);

/** Until the invoices of January are final and tried. */
async function endOfJanuary() {
  world.local.until("2027-02-01T00:00:30Z");
  const outcomes = await world.settle();
  world.local.until("2027-02-04T00:01:00Z");
  return [...outcomes, ...(await world.settle())];
}

describe("a payment method", () => {
  test("a payment method that is set up becomes the default for all of its owner's workspaces, once for each event", async () => {
    const ada = await world.owner();
    const [one, two] = [await world.workspace(ada, 1), await world.workspace(ada, 2)];
    const gone = await world.workspace(ada, 3, { status: "deleted" });
    const bob = await world.owner();
    const others = await world.workspace(bob);
    await world.setUp(ada.customer_id);
    const arrived = await world.arrived();
    const completed = arrived.find(({ body }) => body.includes("checkout.session.completed")) as Delivery;
    expect((await world.receive(completed)).body).toEqual({ outcome: "done" });
    expect((await world.receive(completed)).body).toEqual({ outcome: "known" });
    expect((await world.tenant(one)).has_payment_method).toBe(true);
    expect(await world.tenant(two)).toMatchObject({ has_payment_method: true, status: "active" });
    expect((await world.tenant(gone)).has_payment_method).toBe(false);
    expect((await world.tenant(others)).has_payment_method).toBe(false);
    expect((await world.payments.customerById(ada.customer_id))?.defaultPaymentMethod).toMatch(/^pm_/);
    expect((await world.audit(one))[0]).toMatchObject({
      actor: "stripe",
      action: "tenant.payment_method",
      before: { has_payment_method: false },
      after: { has_payment_method: true },
    });
    await world.settle();
    expect(await world.audit(one)).toHaveLength(2);
    expect(await world.customers.get(ada.sub)).toMatchObject({ has_payment_method: true });
  });

  test("a payment method of an older set-up whose event is late does not replace the newer one", async () => {
    const ada = await world.owner();
    await world.workspace(ada);
    await world.setUp(ada.customer_id, cards.good);
    await world.setUp(ada.customer_id, cards.other);
    await world.settle((all) => all.toReversed());
    const [newest] = (await world.payments.paymentMethods(ada.customer_id)).map(({ id }) => id);
    expect((await world.payments.customerById(ada.customer_id))?.defaultPaymentMethod).toBe(newest);
  });

  test("a payment method that is detached is replaced as the default by another one; after the last one there is none", async () => {
    const ada = await world.owner();
    const one = await world.workspace(ada);
    await world.setUp(ada.customer_id, cards.good);
    await world.setUp(ada.customer_id, cards.other);
    await world.settle();
    const [second = "", first = ""] = (await world.payments.paymentMethods(ada.customer_id)).map(({ id }) => id);
    await world.onPortal(ada.customer_id, { action: "remove", method: second });
    await world.settle();
    expect((await world.payments.customerById(ada.customer_id))?.defaultPaymentMethod).toBe(first);
    expect((await world.tenant(one)).has_payment_method).toBe(true);
    await world.onPortal(ada.customer_id, { action: "remove", method: first });
    await world.settle((all) => [...all, ...all].toReversed());
    expect((await world.tenant(one)).has_payment_method).toBe(false);
    expect(await world.customers.get(ada.sub)).toMatchObject({ has_payment_method: false });
  });
});

describe("an invoice", () => {
  test("a final and unpaid invoice suspends all of its owner's workspaces, until a card pays it", async () => {
    const ada = await world.owner();
    const [one, two] = [await world.workspace(ada, 1), await world.workspace(ada, 2)];
    await world.use(ada.customer_id, 3, 1);
    await endOfJanuary();
    expect(await world.tenant(one)).toMatchObject({ status: "suspended", suspended_reason: unpaidReason });
    expect(await world.tenant(two)).toMatchObject({ status: "suspended", suspended_reason: unpaidReason });
    expect(await world.customers.get(ada.sub)).toMatchObject({ owes: [expect.stringMatching("^in_")] });
    await world.setUp(ada.customer_id);
    await world.settle((all) => all.toReversed());
    expect(await world.tenant(one)).toMatchObject({ status: "active", has_payment_method: true });
    expect((await world.tenant(one)).suspended_reason).toBeUndefined();
    expect((await world.tenant(two)).status).toBe("active");
    expect((await world.payments.invoices(ada.customer_id)).map(({ status }) => status)).not.toContain("open");
    const actions = (await world.audit(one)).map(({ action }) => action).toReversed();
    expect(actions).toEqual(["tenant.create", "tenant.suspend", expect.any(String), ...actions.slice(3)]);
    expect(actions).toContain("tenant.resume");
  });

  test("an invoice that a card declines suspends only after the last attempt, and another card in the portal pays it", async () => {
    const ada = await world.owner();
    const one = await world.workspace(ada);
    await world.setUp(ada.customer_id, cards.declining);
    await world.use(ada.customer_id, 3);
    await world.settle();
    await endOfJanuary();
    expect((await world.tenant(one)).status).toBe("active");
    world.local.until("2027-02-25T00:00:00Z");
    await world.settle((all) => all.toReversed());
    expect(await world.tenant(one)).toMatchObject({ status: "suspended", suspended_reason: unpaidReason });
    await world.onPortal(ada.customer_id, {
      action: "add",
      number: cards.good,
      expiry: "12/34",
      name: "Ada",
      country: "DE",
    });
    const outcomes = await world.settle();
    expect(outcomes).toContain("v1.invoice.paid 200 done");
    expect((await world.tenant(one)).status).toBe("active");
  });

  test("a voided invoice is no longer a debt: all workspaces are active again", async () => {
    const ada = await world.owner();
    const one = await world.workspace(ada, 1);
    await world.use(ada.customer_id, 5);
    await endOfJanuary();
    expect((await world.tenant(one)).status).toBe("suspended");
    const { account } = world.local.stripe;
    const open = account.invoices.all().find(({ status }) => status === "open");
    if (!open) throw new Error("there is no open invoice");
    account.emit("invoice.voided", account.putInvoice({ ...open, status: "void" }));
    await world.settle();
    expect((await world.tenant(one)).status).toBe("active");
  });

  test("an invoice of a deleted workspace is a debt of the owner's other workspaces", async () => {
    const ada = await world.owner();
    const [one, two] = [await world.workspace(ada, 1), await world.workspace(ada, 2)];
    await world.use(ada.customer_id, 3, 1);
    await world.setOnTenant(one, "status", "deleted");
    await endOfJanuary();
    expect((await world.tenant(one)).status).toBe("deleted");
    expect(await world.tenant(two)).toMatchObject({ status: "suspended", suspended_reason: unpaidReason });
  });

  test("an invoice that is paid does not resume a workspace that an administrator suspended", async () => {
    const ada = await world.owner();
    const one = await world.workspace(ada, 1, { status: "suspended", suspended_reason: "Abuse" });
    await world.use(ada.customer_id, 3);
    await world.setUp(ada.customer_id);
    await endOfJanuary();
    expect(await world.tenant(one)).toMatchObject({ status: "suspended", suspended_reason: "Abuse" });
  });
});

describe("a payment that goes back", () => {
  async function paid(number: string) {
    const ada = await world.owner();
    const [one, two] = [await world.workspace(ada, 1), await world.workspace(ada, 2)];
    await world.setUp(ada.customer_id, number);
    await world.use(ada.customer_id, 3, 1);
    await endOfJanuary();
    const [dispute] = world.local.stripe.account.disputes.all().slice(-1);
    return { ada, one, two, dispute: dispute?.id ?? "" };
  }
  const told = async () => (await world.audit("platform")).map(({ action, after }) => [action, after?.state]);

  test("a disputed payment suspends all workspaces until the dispute is won", async () => {
    const { one, two, dispute } = await paid(cards.disputing);
    for (const id of [one, two])
      expect(await world.tenant(id)).toMatchObject({ status: "suspended", suspended_reason: disputedReason });
    expect(world.unbilled).toContainEqual({ reason: "disputed" });
    expect(await told()).toContainEqual(["payment.dispute", "needs_response"]);
    await world.local.sdk.disputes.update(dispute, { evidence: { uncategorized_text: "winning_evidence" } });
    await world.settle();
    for (const id of [one, two]) expect((await world.tenant(id)).status).toBe("active");
    expect(await told()).toContainEqual(["payment.dispute", "won"]);
  });

  test("a lost dispute keeps all workspaces suspended; a workspace that an administrator resumes is not suspended for it again", async () => {
    const { ada, one, dispute } = await paid(cards.disputing);
    await world.local.sdk.disputes.close(dispute);
    await world.settle();
    expect((await world.tenant(one)).status).toBe("suspended");
    await world.setOnTenant(one, "status", "active");
    await reconcileOwner({ ...world.deps, payments: world.payments }, ada.sub);
    expect((await world.tenant(one)).status).toBe("active");
  });

  test("a refund or a credit note is recorded once in each state, and suspends no workspace", async () => {
    const { ada, one } = await paid(cards.good);
    const [charge] = await world.payments.charges(ada.customer_id);
    await world.local.sdk.refunds.create({ charge: charge?.id ?? "", amount: 100 });
    const invoice = (await world.payments.invoices(ada.customer_id)).find(({ totalCents }) => totalCents === 300);
    await world.local.sdk.creditNotes.create({ invoice: invoice?.id ?? "", amount: 50, out_of_band_amount: 50 });
    await world.settle((all) => [...all, ...all]);
    await reconcileOwner({ ...world.deps, payments: world.payments }, ada.sub);
    expect(await told()).toEqual(
      expect.arrayContaining([
        ["payment.refund", "100 cents"],
        ["invoice.credit", "50 cents"],
      ]),
    );
    expect((await told()).filter(([, state]) => state === "100 cents")).toHaveLength(1);
    expect((await world.tenant(one)).status).toBe("active");
    expect(world.unbilled).toEqual([]);
  });
});

test("a card or a debt without an event is found by the daily reading", async () => {
  const ada = await world.owner();
  const one = await world.workspace(ada);
  const reading = () => reconcileOwner({ ...world.deps, payments: world.payments }, ada.sub);
  await world.setUp(ada.customer_id, cards.declining);
  await reading();
  expect((await world.tenant(one)).has_payment_method).toBe(true);
  await world.use(ada.customer_id, 3);
  world.local.until("2027-02-28T00:00:00Z");
  expect((await world.tenant(one)).status).toBe("active");
  await reading();
  expect(await world.tenant(one)).toMatchObject({ status: "suspended", suspended_reason: unpaidReason });
  await reconcileOwner({ ...world.deps, payments: world.payments }, "nobody");
});

describe("automatic tax", () => {
  beforeEach(() => {
    world.deps.automaticTax = true;
  });
  const problems = () =>
    world.lines.filter(({ message }) => message === "An invoice has no tax: its customer's address is not known");

  /** Adds a card of nobody knows which country, as a card that was there before Checkout asked for addresses. */
  const addCard = (customer: string) => world.local.sdk.paymentMethods.attach("pm_card_visa", { customer });

  test("automatic tax is on once the owner's address is known", async () => {
    const ada = await world.owner();
    await world.workspace(ada);
    await addCard(ada.customer_id);
    await world.settle();
    const { sdk } = world.local;
    const taxed = async () =>
      (await sdk.subscriptions.list({ customer: ada.customer_id })).data[0]?.automatic_tax.enabled;
    expect(await taxed()).toBe(false);
    await sdk.customers.update(ada.customer_id, { address: { country: "DE" } });
    await world.settle();
    expect(await taxed()).toBe(true);
    await world.use(ada.customer_id, 3);
    await endOfJanuary();
    const { data } = await sdk.invoices.list({ customer: ada.customer_id });
    expect(data).toMatchObject([{ status: "paid", automatic_tax: { enabled: true, status: "complete" } }]);
    expect([problems(), world.unbilled]).toEqual([[], []]);
  });

  test("automatic tax that an invoice lacks is reported while the invoice is a draft; the invoice is still paid", async () => {
    const ada = await world.owner();
    const one = await world.workspace(ada);
    await addCard(ada.customer_id);
    await world.use(ada.customer_id, 3);
    await endOfJanuary();
    expect(problems().map(({ facts }) => facts)).toEqual([
      { tenant_id: one, customer_id: ada.customer_id, invoice_id: expect.stringMatching(/^in_/) },
    ]);
    const facts = { tenant_id: one, invoice_id: expect.stringMatching(/^in_/) };
    expect(world.unbilled).toEqual([{ reason: "untaxed", ...facts }]);
    expect((await world.payments.invoices(ada.customer_id)).map(({ status }) => status)).toEqual(["paid"]);
    expect((await world.tenant(one)).status).toBe("active");
  });
});

describe("a delivery is refused", () => {
  test("a refused delivery is counted if it claims to be signed, so that a replaced secret is noticed", async () => {
    await world.receive(signed("{}", "whsec_other"));
    expect(world.refused).toHaveLength(1);
    const unsigned = { headers: {}, body: "{}", requestContext: { http: {} } } as never;
    await webhookHandler(world.deps)(unsigned, { awsRequestId: "r" } as never);
    expect(world.refused).toHaveLength(1);
  });

  const anEvent = () => JSON.stringify({ id: "evt_1", object: "v2.core.event", type: "v1.customer.updated" });

  test.each<[string, () => Delivery, number]>([
    ["without a signature", () => ({ body: anEvent(), signature: "" }), 400],
    ["with another secret's signature", () => signed(anEvent(), "whsec_other"), 400],
    ["with another body than was signed", () => ({ ...signed(anEvent()), body: `${anEvent()} ` }), 400],
    ["after five minutes", () => signed(anEvent(), world.signingSecret, world.local.clock.now() - 301_000), 400],
    ["that is no event", () => signed("[]"), 400],
    ["that is no JSON", () => signed("{"), 400],
    ["that is a snapshot", () => signed(JSON.stringify({ id: "evt_1", object: "event", type: "invoice.paid" })), 400],
    ["that is huge, before its signature is looked at", () => signed("x".repeat(64 * 1024 + 1)), 413],
  ])("%s", async (_, delivery, status) => {
    expect((await world.receive(delivery())).status).toBe(status);
    expect((await world.receive(delivery(), undefined, true)).status).toBe(status);
    expect(world.local.calls.all().filter(({ operation }) => operation?.startsWith("v2.core.events"))).toEqual([]);
  });

  test("a delivery is refused while the provider cannot be reached, and is repeated later", async () => {
    const ada = await world.owner();
    const one = await world.workspace(ada);
    await world.setUp(ada.customer_id);
    const arrived = await world.arrived();
    world.local.fail({ service: "stripe", operation: "customers.retrieve", kind: "error", when: "before", times: 50 });
    const wanted = arrived.filter(({ body }) => !body.includes("v1.customer.created"));
    expect(wanted.length).toBeGreaterThan(0);
    for (const delivery of wanted) expect((await world.receive(delivery)).status).toBe(503);
    expect((await world.tenant(one)).has_payment_method).toBe(false);
    world.local.fail();
    for (const delivery of wanted) expect((await world.receive(delivery)).body.outcome).toBe("done");
    expect((await world.tenant(one)).has_payment_method).toBe(true);
  });
});

test("a delivery in base64 is verified as it was signed", async () => {
  const ada = await world.owner();
  await world.workspace(ada);
  await world.setUp(ada.customer_id);
  for (const delivery of await world.arrived()) {
    expect((await world.receive(delivery, undefined, true)).status).toBe(200);
  }
});

describe("an event about something that is not the platform's is acknowledged and ignored:", () => {
  test("events of a foreign customer are ignored: without an owner, with another owner, or with another tenant", async () => {
    const ada = await world.owner();
    const one = await world.workspace(ada);
    await world.settle();
    const { sdk } = world.local;
    const strangers = [
      await sdk.customers.create({ email: "x@x.example" }),
      await sdk.customers.create({ email: "x@x.example", metadata: { owner_sub: ada.sub } }),
      await sdk.customers.create({ email: "x@x.example", metadata: { owner_sub: "nobody" } }),
    ];
    for (const { id } of strangers) await world.setUp(id);
    const price = (await sdk.prices.list({ lookup_keys: ["usage_usd_1"] })).data[0]?.id;
    await aSubscription(sdk, price ?? "", strangers[0]?.id, { metadata: { tenant_id: one } });
    await sdk.customers.del(strangers[0]?.id ?? "");
    for (const outcome of await world.settle()) expect(outcome).toMatch(/200 ignored$/);
    expect(await world.tenant(one)).toMatchObject({ has_payment_method: false, status: "active" });
  });

  test.each(["v1.invoice.paid", "v1.checkout.session.completed", "v1.payment_method.attached", "v1.product.created"])(
    "the event %s of an unknown object is ignored",
    async (type) => {
      const related_object = { id: "in_unknown", type: "invoice", url: "/v1/invoices/in_unknown" };
      const body = JSON.stringify({ id: "evt_1", object: "v2.core.event", type, related_object });
      expect(await world.receive(signed(body))).toEqual({ status: 200, body: { outcome: "ignored" } });
    },
  );
});

describe("in Stripe's own dashboard", () => {
  test("a cancelled subscription is reported to the operators", async () => {
    const ada = await world.owner();
    const one = await world.workspace(ada);
    await world.local.sdk.subscriptions.cancel((await world.tenant(one)).stripe_subscription_id ?? "");
    await world.settle();
    const problems = world.lines.filter(({ message }) => message.includes("subscription has ended"));
    expect(problems[0]?.facts).toMatchObject({ tenant_id: one });
    expect(world.unbilled).toEqual([{ reason: "ended", tenant_id: one }]);
    expect((await world.tenant(one)).status).toBe("active");
    const entries = (await world.audit(one)).filter(({ actor }) => actor === "stripe");
    expect(entries).toMatchObject([{ action: "subscription.end", after: { customer_id: ada.customer_id } }]);
  });

  test("a deleted customer is reported for each of its subscriptions", async () => {
    const ada = await world.owner();
    const one = await world.workspace(ada);
    await world.setUp(ada.customer_id);
    await world.settle();
    expect((await world.tenant(one)).has_payment_method).toBe(true);
    await world.local.sdk.customers.del(ada.customer_id);
    await world.settle();
    expect((await world.tenant(one)).has_payment_method).toBe(false);
    expect(world.lines.map(({ message }) => message)).toContain(
      "An owner's customer was deleted at the payment provider",
    );
    expect(world.unbilled).toContainEqual({ reason: "customer_deleted", tenant_id: one });
    const actions = (await world.audit(one)).map(({ action }) => action);
    expect(actions).toEqual(expect.arrayContaining(["customer.delete", "subscription.end", "tenant.payment_method"]));
  });
});

test("usage that cannot be counted is reported", async () => {
  const at = Math.floor(world.local.clock.now() / 1000) * 1000;
  await world.payments.report({ customerId: "cus_unknown", slot: 1, at, value: 5 });
  expect(await world.settle()).toContain("v1.billing.meter.error_report_triggered 200 done");
  expect(world.unbilled).toEqual([{ reason: "not_counted" }]);
});

test("two simultaneous events of an owner leave the provider's last state", async () => {
  const ada = await world.owner();
  const one = await world.workspace(ada);
  await world.setUp(ada.customer_id);
  const arrived = await world.arrived();
  await world.setUp(ada.customer_id, cards.other);
  const all = [...arrived, ...(await world.arrived())];
  expect(typesOf(all).length).toBeGreaterThan(3);
  const handler = webhookHandler(world.deps);
  const answers = await Promise.all([...all, ...all].map((delivery) => world.receive(delivery, handler)));
  const again = await Promise.all(all.map((delivery) => world.receive(delivery, handler)));
  for (const { status } of again) expect(status).toBe(200);
  expect(answers.some(({ status }) => status === 200)).toBe(true);
  expect((await world.tenant(one)).has_payment_method).toBe(true);
  expect((await world.audit(one)).filter(({ action }) => action === "tenant.payment_method")).toHaveLength(1);
});
