// Asks a Stripe test account what Stripe publishes nowhere: plays two small stories on test clocks, and deletes them with all that was
// made on them. The account was set up by `npm run stripe:setup`.
import Stripe from "stripe";
import { type Belief, beliefs, type Finding } from "./beliefs.ts";
import { type StripeOptions, stripeClient } from "./client.ts";
import { idOf } from "./conversion.ts";
import { slotName } from "./slots.ts";

/** For people, without a stack trace. */
class ProbeRefused extends Error {}

type ProbeTime = {
  /** When it runs, in milliseconds. */
  now: number;
  wait: (milliseconds: number) => Promise<void>;
};

const clockName = "Archway probe";
const hour = 3_600;
const minute = 60;
const pollMs = 5_000;
/** Ten minutes, after which a value counts as not shown. */
const mostPolls = 120;

/** @throws ProbeRefused for a key of live mode, or an account that is not set up */
export async function probeAccount(options: StripeOptions, waiting: ProbeTime): Promise<Finding[]> {
  if (!/^[rs]k_test_/.test(options.secretKey)) throw new ProbeRefused("The key must be one of test mode: rk_test_...");
  const stripe = stripeClient({ ...options, timeoutMs: 60_000 });
  const probe = new Probe(stripe, waiting);
  // An earlier run that was cut off may have left objects in the account.
  await probe.clear();
  try {
    const after = await probe.month(startOfStory(waiting.now / 1000));
    await probe.end(startOfStory(after));
  } finally {
    await probe.clear();
  }
  const names = Object.keys(beliefs) as Belief[];
  return names.map((name) => ({ ...beliefs[name], found: probe.found.get(name) ?? "no answer" }));
}

/** 20:20 on the last day of a month, in seconds: late enough for a story's usage. */
function startOfStory(now: number): number {
  const soon = new Date((now + 4 * hour) * 1000);
  return Date.UTC(soon.getUTCFullYear(), soon.getUTCMonth() + 1, 1) / 1000 - 3 * hour - 40 * minute;
}

class Probe {
  readonly found = new Map<Belief, string>();
  #needsMethod = false;
  readonly #stripe: Stripe;
  readonly #wait: ProbeTime["wait"];

  constructor(stripe: Stripe, { wait }: ProbeTime) {
    this.#stripe = stripe;
    this.#wait = wait;
  }

  /** Deletes the test clocks of a probe; customers and subscriptions go with them. */
  async clear(): Promise<void> {
    const clocks = await this.#stripe.testHelpers.testClocks.list({ limit: 100 });
    for (const { id, name } of clocks.data) if (name === clockName) await this.#stripe.testHelpers.testClocks.del(id);
  }

  /** A month's end: what a subscription, a meter and a draft do. @returns when it is over */
  async month(start: number): Promise<number> {
    const price = await this.#price(1);
    const clock = await this.#clock(start);
    const [usual, early, idle] = [
      await this.#customer(clock),
      await this.#customer(clock),
      await this.#customer(clock),
    ];
    await this.#ask("begin", async () => {
      const { status, latest_invoice } = await this.#subscription(usual, price);
      return `${status}, ${latest_invoice === null ? "no" : "an"} invoice`;
    });
    // If a subscription does not begin without a payment method, the other questions are asked with one.
    this.#needsMethod = this.found.get("begin")?.startsWith("refused") ?? false;
    for (const one of this.#needsMethod ? [usual, early, idle] : [early, idle]) await this.#subscription(one, price);
    await this.#ask("checkout", () => this.#checkout(usual));
    await this.#advance(clock, start + 10 * minute);
    await this.#tell(early, start + 5 * minute, "1.25");
    await this.#advance(clock, start + 140 * minute);
    await this.#tell(usual, start + 130 * minute, "3.25");
    await this.#tell(usual, start + 110 * minute, "1.5");
    const end = start + 220 * minute;
    await this.#advance(clock, end + 10 * minute);
    const polls = await this.#until(async () => (await this.#quantity(usual)) > 0);
    this.found.set(
      "lag",
      polls === undefined ? `not within ${(mostPolls * pollMs) / 1000}` : String((polls * pollMs) / 1000),
    );
    await this.#wait(pollMs);
    const quantity = await this.#quantity(usual);
    this.found.set("last", Math.trunc(quantity) === 3 ? "the later time" : "the one that was received last");
    this.found.set("decimals", Number.isInteger(quantity) ? "no" : "yes");
    this.found.set("first_hour", (await this.#quantity(early)) > 0 ? "yes" : "no");
    this.found.set("empty", (await this.#invoice(idle)) ? "yes" : "no");
    const draft = await this.#invoice(usual);
    return draft ? this.#draft(clock, usual, draft, end) : end;
  }

  /** A draft that is held for longer than the account's own time, and usage that comes after that. @returns when it is final */
  async #draft(clock: string, customer: string, draft: Stripe.Invoice, end: number): Promise<number> {
    const { id, created, automatically_finalizes_at: at } = draft;
    const own = at === null ? 0 : Math.round((at - created) / hour);
    this.found.set("grace", at === null ? "never" : String(own));
    await this.#ask("thin", async () => {
      const { data } = await this.#stripe.v2.core.events.list({ object_id: id, limit: 10 });
      return data.find(({ type }) => type === "v1.invoice.created")?.type ?? "none";
    });
    const until = created + Math.max(72, own + 24) * hour;
    await this.#stripe.invoices.update(id, { automatically_finalizes_at: until, auto_advance: true });
    await this.#advance(clock, until - hour);
    await this.#tell(customer, end - 30 * minute, "6.25");
    const polls = await this.#until(async () => (await this.#quantity(customer)) >= 6);
    this.found.set("late", polls === undefined ? "for the account's own time" : "until it is final");
    const isDraft = (await this.#invoice(customer))?.status === "draft";
    await this.#advance(clock, until + 2 * hour);
    const isFinal = (await this.#invoice(customer))?.status !== "draft";
    this.found.set("held", isDraft && isFinal ? "yes" : "no");
    return until + 2 * hour;
  }

  /** The end of a subscription, of another one beside it, and of their customer. */
  async end(start: number): Promise<void> {
    const [first, second] = [await this.#price(1), await this.#price(2)];
    const clock = await this.#clock(start);
    const [alone, owing] = [await this.#customer(clock), await this.#customer(clock)];
    const ended = await this.#subscription(alone, first);
    const cancelled = await this.#subscription(owing, first);
    const sibling = await this.#subscription(owing, second);
    await this.#pays(owing, "pm_card_chargeCustomerFail");
    await this.#advance(clock, start + 140 * minute);
    await this.#tell(alone, start + 130 * minute, "2.5");
    for (const slot of [1, 2]) await this.#tell(owing, start + 130 * minute, "5.5", slot);
    await this.#wait(12 * pollMs);
    await this.#ask("cancel", () => this.#cancel(alone, ended.id));
    await this.#ask("negative", () => this.#belowZero(alone));
    // The month is over, its invoices are final, and the card was declined.
    await this.#advance(clock, start + 90 * hour);
    await this.#ask("sibling", async () => {
      await this.#stripe.subscriptions.cancel(cancelled.id, { invoice_now: true, prorate: false });
      await this.#wait(pollMs);
      return (await this.#invoice(owing, sibling.id))?.status ?? "no invoice";
    });
    await this.#ask("deleted", async () => {
      await this.#stripe.customers.del(owing);
      return (await this.#invoice(owing, sibling.id))?.status ?? "not listed";
    });
  }

  async #cancel(customer: string, subscription: string): Promise<string> {
    await this.#stripe.subscriptions.cancel(subscription, { invoice_now: true, prorate: false });
    const invoice = await this.#invoice(customer);
    if (!invoice) return "no invoice";
    if (invoice.status !== "draft") return "a final invoice";
    return invoice.auto_advance ? "a draft that becomes final" : "a draft that nobody advances";
  }

  async #belowZero(customer: string): Promise<string> {
    const params = {
      customer,
      currency: "usd",
      auto_advance: false,
      pending_invoice_items_behavior: "exclude",
    } as const;
    const { id: invoice } = await this.#stripe.invoices.create(params);
    await this.#stripe.invoiceItems.create({
      customer,
      invoice,
      currency: "usd",
      quantity_decimal: Stripe.Decimal.from("0.5"),
      unit_amount_decimal: Stripe.Decimal.from("-100"),
    });
    return "yes";
  }

  async #checkout(customer: string): Promise<string> {
    const { id } = await this.#stripe.checkout.sessions.create({
      mode: "setup",
      currency: "usd",
      customer,
      success_url: "https://example.com",
      billing_address_collection: "required",
      customer_update: { address: "auto", name: "auto" },
    });
    await this.#stripe.checkout.sessions.expire(id);
    return "yes";
  }

  async #pays(customer: string, card: string): Promise<void> {
    const { id } = await this.#stripe.paymentMethods.attach(card, { customer });
    await this.#stripe.customers.update(customer, { invoice_settings: { default_payment_method: id } });
  }

  /** A refusal is an answer. */
  async #ask(belief: Belief, answer: () => Promise<string>): Promise<void> {
    try {
      this.found.set(belief, await answer());
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
      this.found.set(belief, `refused: ${error.code ?? error.type}`);
    }
  }

  /** @returns after how many waits it was so; undefined if it never was */
  async #until(isSo: () => Promise<boolean>): Promise<number | undefined> {
    for (let polls = 0; polls < mostPolls; polls += 1) {
      if (await isSo()) return polls;
      await this.#wait(pollMs);
    }
    return undefined;
  }

  async #price(slot: number): Promise<string> {
    const { data } = await this.#stripe.prices.list({ lookup_keys: [slotName(slot)], active: true, limit: 1 });
    if (data[0]) return data[0].id;
    throw new ProbeRefused(`The account has no price ${slotName(slot)}: run stripe:setup for two workspaces or more.`);
  }

  async #clock(at: number): Promise<string> {
    return (await this.#stripe.testHelpers.testClocks.create({ frozen_time: at, name: clockName })).id;
  }

  async #advance(clock: string, until: number): Promise<void> {
    await this.#stripe.testHelpers.testClocks.advance(clock, { frozen_time: until });
    const isReady = async () => (await this.#stripe.testHelpers.testClocks.retrieve(clock)).status === "ready";
    if ((await this.#until(isReady)) === undefined) throw new ProbeRefused("A test clock does not come to its time.");
  }

  async #customer(clock: string): Promise<string> {
    return (await this.#stripe.customers.create({ test_clock: clock, name: clockName })).id;
  }

  async #subscription(customer: string, price: string): Promise<Stripe.Subscription> {
    if (this.#needsMethod) await this.#pays(customer, "pm_card_visa");
    return this.#stripe.subscriptions.create({
      customer,
      items: [{ price }],
      billing_mode: { type: "flexible" },
      billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0 },
    });
  }

  async #tell(customer: string, at: number, value: string, slot = 1): Promise<void> {
    await this.#stripe.v2.billing.meterEvents.create({
      event_name: slotName(slot),
      timestamp: new Date(at * 1000).toISOString(),
      payload: { stripe_customer_id: customer, value },
    });
  }

  /** The customer's newest invoice, of this subscription if one is given. */
  async #invoice(customer: string, subscription?: string): Promise<Stripe.Invoice | undefined> {
    const { data } = await this.#stripe.invoices.list({ customer, limit: 10 });
    const isMeant = (one: Stripe.Invoice) =>
      subscription === undefined || idOf(one.parent?.subscription_details?.subscription) === subscription;
    return data.find(isMeant);
  }

  async #quantity(customer: string): Promise<number> {
    const line = (await this.#invoice(customer))?.lines.data[0];
    return Number(String(line?.quantity_decimal ?? line?.quantity ?? 0));
  }
}
