// The one Stripe account of a local stack: its objects, its clock, its agenda and its events.
import type { Clock } from "../clock.ts";
import type { Store } from "../store.ts";
import {
  type Charge,
  type CheckoutSession,
  type CreditNote,
  type Customer,
  type Destination,
  type Dispute,
  type Invoice,
  type Meter,
  newId,
  type PaymentIntent,
  type PaymentMethod,
  type PortalConfiguration,
  type PortalSession,
  type Price,
  type Product,
  type SetupIntent,
  type Subscription,
  type TestClock,
  type ThinEvent,
} from "./objects.ts";
import { missing } from "./refusal.ts";
import { defaults, readSettings, type Settings } from "./settings.ts";

/** A destination with its secret, which Stripe shows in the answer to the creation only. */
export type KeptDestination = { id: string; destination: Destination; secret: string };
/** A deleted customer is kept as a stub with its id. */
export type KeptCustomer = { id: string; customer: Customer; deleted: boolean };

/** A bank debit of an invoice, with the time at which the bank says whether it succeeded. */
export type KeptDebit = { id: string; intent: PaymentIntent; invoice: string; settlesAt: number };

type AccountOptions = { store: Store; clock: Clock; pagesUrl: () => string };

class Objects {
  readonly store: Store;

  constructor(store: Store) {
    this.store = store;
  }
}

export class Account extends Objects {
  readonly customers = this.store.collection<KeptCustomer>("stripe-customer");
  readonly products = this.store.collection<Product>("stripe-product");
  readonly prices = this.store.collection<Price>("stripe-price");
  readonly meters = this.store.collection<Meter>("stripe-meter");
  readonly subscriptions = this.store.collection<Subscription>("stripe-subscription");
  readonly invoices = this.store.collection<Invoice>("stripe-invoice");
  readonly charges = this.store.collection<Charge>("stripe-charge");
  readonly debits = this.store.collection<KeptDebit>("stripe-debit");
  readonly disputes = this.store.collection<Dispute>("stripe-dispute");
  readonly creditNotes = this.store.collection<CreditNote>("stripe-credit-note");
  readonly paymentMethods = this.store.collection<PaymentMethod>("stripe-payment-method");
  readonly setupIntents = this.store.collection<SetupIntent>("stripe-setup-intent");
  readonly checkoutSessions = this.store.collection<CheckoutSession>("stripe-checkout-session");
  readonly portalSessions = this.store.collection<PortalSession>("stripe-portal-session");
  readonly configurations = this.store.collection<PortalConfiguration>("stripe-portal-configuration");
  readonly destinations = this.store.collection<KeptDestination>("stripe-destination");
  readonly events = this.store.collection<ThinEvent>("stripe-event");
  readonly testClocks = this.store.collection<TestClock>("stripe-test-clock");
  readonly #settings = this.store.collection<Settings>("stripe-settings");
  readonly #clock: Clock;
  readonly #pagesUrl: () => string;
  readonly #listeners: ((event: ThinEvent) => void)[] = [];
  /** What is due at which time, in seconds: periods end, drafts become final, invoices are collected, sessions expire. */
  readonly #agenda = new Map<string, number>();
  /** The time of the entry of the agenda that is being processed, in seconds. */
  #asOf: number | undefined;

  constructor({ store, clock, pagesUrl }: AccountOptions) {
    super(store);
    this.#clock = clock;
    this.#pagesUrl = pagesUrl;
    for (const subscription of this.subscriptions.all()) this.putSubscription(subscription);
    for (const invoice of this.invoices.all()) this.putInvoice(invoice);
    for (const session of this.checkoutSessions.all()) this.putCheckoutSession(session);
    for (const debit of this.debits.all()) this.putDebit(debit);
  }

  /** Seconds since the epoch, the unit of Stripe. */
  now(): number {
    return this.#asOf ?? Math.floor(this.#clock.now() / 1000);
  }

  /** Moves the stack's clock forward. @param seconds the time at which it then is, if it is not past it */
  advanceTo(seconds: number): void {
    this.#clock.advance(seconds * 1000 - this.#clock.now());
  }

  /** Takes what is due off the agenda, the earliest first, and calls `act` with `now()` set to its time. */
  catchUp(act: (key: string) => void): void {
    for (;;) {
      const due = [...this.#agenda].filter(([, at]) => at <= this.now()).sort(([, one], [, other]) => one - other);
      const [first] = due;
      if (!first) return;
      const [key, at] = first;
      this.#agenda.delete(key);
      const before = this.#asOf;
      this.#asOf = at;
      try {
        act(key);
      } finally {
        this.#asOf = before;
      }
    }
  }

  #plan(key: string, at: number | null | undefined): void {
    if (at === null || at === undefined) this.#agenda.delete(key);
    else this.#agenda.set(key, at);
  }

  /** The URL of the pages, without a slash at the end. */
  get pagesUrl(): string {
    return this.#pagesUrl();
  }

  get settings(): Settings {
    return this.#settings.get("settings") ?? defaults;
  }

  /** @throws Error that names every wrong setting. */
  configure(given: unknown): Settings {
    const settings = readSettings(this.settings, given);
    this.#settings.put("settings", settings);
    return settings;
  }

  /** @throws StripeRefusal if there is no such customer, or it was deleted. */
  customer(id: string, param = "id", status = 404): Customer {
    const kept = this.customers.get(id);
    if (!kept || kept.deleted) throw missing("customer", id, param, status);
    return kept.customer;
  }

  putCustomer(customer: Customer): Customer {
    this.customers.put(customer.id, { id: customer.id, customer, deleted: false });
    return customer;
  }

  /** Stores a subscription. A running subscription is due when its period ends. */
  putSubscription(subscription: Subscription): Subscription {
    this.subscriptions.put(subscription.id, subscription);
    const [item] = subscription.items.data;
    this.#plan(`subscription ${subscription.id}`, subscription.ended_at === null ? item?.current_period_end : null);
    return subscription;
  }

  /** Stores an invoice. A draft is due when it becomes final, an open invoice at its next attempt. */
  putInvoice(invoice: Invoice): Invoice {
    this.invoices.put(invoice.id, invoice);
    const { status, automatically_finalizes_at, next_payment_attempt } = invoice;
    const at = status === "draft" ? automatically_finalizes_at : status === "open" ? next_payment_attempt : null;
    this.#plan(`invoice ${invoice.id}`, at);
    return invoice;
  }

  putCheckoutSession(session: CheckoutSession): CheckoutSession {
    this.checkoutSessions.put(session.id, session);
    this.#plan(`checkout ${session.id}`, session.status === "open" ? session.expires_at : null);
    return session;
  }

  putDebit(debit: KeptDebit): KeptDebit {
    this.debits.put(debit.id, debit);
    this.#plan(`debit ${debit.id}`, debit.intent.status === "processing" ? debit.settlesAt : null);
    return debit;
  }

  onEvent(listener: (event: ThinEvent) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Creates the thin event of a change to a v1 object (changelog/endive/2026-09-30): `invoice.paid` becomes `v1.invoice.paid`.
   * @param changes the values that the change has overwritten
   */
  emit(type: string, about: { id: string; object: string } | null, changes?: ThinEvent["changes"]): void {
    const event: ThinEvent = {
      id: newId("evt_test"),
      object: "v2.core.event",
      type: `v1.${type}`,
      created: new Date(this.now() * 1000).toISOString(),
      livemode: false,
      related_object: about && {
        id: about.id,
        type: about.object,
        url: `/v1/${about.object.replace(".", "/")}s/${about.id}`,
      },
      ...(changes && { changes }),
    };
    this.events.put(event.id, event);
    for (const listener of this.#listeners) listener(event);
  }
}
