// The one Stripe account of a local stack: its objects, its clock, its agenda and its events.
import type { Clock } from "../clock.ts";
import type { Collection, Store } from "../store.ts";
import { Agenda } from "./agenda.ts";
import { newId } from "./ids.ts";
import type {
  Charge,
  CheckoutSession,
  CreditNote,
  Customer,
  Destination,
  Dispute,
  Invoice,
  Meter,
  PaymentMethod,
  PortalConfiguration,
  PortalSession,
  Price,
  Product,
  SetupIntent,
  Subscription,
  TestClock,
  ThinEvent,
} from "./objects.ts";
import { missing } from "./refusal.ts";
import { defaults, readSettings, type Settings } from "./settings.ts";

/** A destination with its secret, which Stripe shows in the answer to the creation only. */
export type KeptDestination = { id: string; destination: Destination; secret: string };
/** A deleted customer is kept as a stub with its id. */
export type KeptCustomer = { id: string; customer: Customer; deleted: boolean };

type AccountOptions = { store: Store; clock: Clock; pagesUrl: () => string };

export class Account {
  readonly customers: Collection<KeptCustomer>;
  readonly products: Collection<Product>;
  readonly prices: Collection<Price>;
  readonly meters: Collection<Meter>;
  readonly subscriptions: Collection<Subscription>;
  readonly invoices: Collection<Invoice>;
  readonly charges: Collection<Charge>;
  readonly disputes: Collection<Dispute>;
  readonly creditNotes: Collection<CreditNote>;
  readonly paymentMethods: Collection<PaymentMethod>;
  readonly setupIntents: Collection<SetupIntent>;
  readonly checkoutSessions: Collection<CheckoutSession>;
  readonly portalSessions: Collection<PortalSession>;
  readonly configurations: Collection<PortalConfiguration>;
  readonly destinations: Collection<KeptDestination>;
  readonly events: Collection<ThinEvent>;
  readonly testClocks: Collection<TestClock>;
  readonly store: Store;
  readonly agenda = new Agenda();
  readonly #clock: Clock;
  readonly #pagesUrl: () => string;
  readonly #settings: Collection<Settings>;
  readonly #listeners: ((event: ThinEvent) => void)[] = [];
  /** The time of the agenda entry that is being processed, in seconds. */
  #asOf: number | undefined;

  constructor({ store, clock, pagesUrl }: AccountOptions) {
    this.store = store;
    this.#clock = clock;
    this.#pagesUrl = pagesUrl;
    this.customers = store.collection("stripe-customer");
    this.products = store.collection("stripe-product");
    this.prices = store.collection("stripe-price");
    this.meters = store.collection("stripe-meter");
    this.subscriptions = store.collection("stripe-subscription");
    this.invoices = store.collection("stripe-invoice");
    this.charges = store.collection("stripe-charge");
    this.disputes = store.collection("stripe-dispute");
    this.creditNotes = store.collection("stripe-credit-note");
    this.paymentMethods = store.collection("stripe-payment-method");
    this.setupIntents = store.collection("stripe-setup-intent");
    this.checkoutSessions = store.collection("stripe-checkout-session");
    this.portalSessions = store.collection("stripe-portal-session");
    this.configurations = store.collection("stripe-portal-configuration");
    this.destinations = store.collection("stripe-destination");
    this.events = store.collection("stripe-event");
    this.testClocks = store.collection("stripe-test-clock");
    this.#settings = store.collection("stripe-settings");
    for (const subscription of this.subscriptions.all()) this.putSubscription(subscription);
    for (const invoice of this.invoices.all()) this.putInvoice(invoice);
    for (const session of this.checkoutSessions.all()) this.putCheckoutSession(session);
  }

  /** Seconds since the epoch, the unit of Stripe. */
  now(): number {
    return this.#asOf ?? Math.floor(this.#clock.now() / 1000);
  }

  /** Moves the stack's clock forward. @param seconds the time at which it then is, if it is not past it */
  advanceTo(seconds: number): void {
    this.#clock.advance(seconds * 1000 - this.#clock.now());
  }

  /** Calls `act` with `now()` set to an earlier time. */
  asOf(seconds: number, act: () => void): void {
    const before = this.#asOf;
    this.#asOf = seconds;
    try {
      act();
    } finally {
      this.#asOf = before;
    }
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
    this.agenda.set(
      `subscription ${subscription.id}`,
      subscription.ended_at === null ? item?.current_period_end : null,
    );
    return subscription;
  }

  /** Stores an invoice. A draft is due when it becomes final, an open invoice at its next attempt. */
  putInvoice(invoice: Invoice): Invoice {
    this.invoices.put(invoice.id, invoice);
    const { status, automatically_finalizes_at, next_payment_attempt } = invoice;
    const at = status === "draft" ? automatically_finalizes_at : status === "open" ? next_payment_attempt : null;
    this.agenda.set(`invoice ${invoice.id}`, at);
    return invoice;
  }

  putCheckoutSession(session: CheckoutSession): CheckoutSession {
    this.checkoutSessions.put(session.id, session);
    this.agenda.set(`checkout ${session.id}`, session.status === "open" ? session.expires_at : null);
    return session;
  }

  onEvent(listener: (event: ThinEvent) => void): void {
    this.#listeners.push(listener);
  }

  /**
   * Creates the thin event of a change to a v1 object (changelog/endive/2026-09-30): `invoice.paid` becomes `v1.invoice.paid`.
   * @param more `data` of the event, and `changes` with the values that the change has overwritten
   */
  emit(
    type: string,
    object: { id: string; object: string } | null,
    more: Pick<ThinEvent, "data" | "changes"> = {},
  ): void {
    const event: ThinEvent = {
      id: newId("evt_test"),
      object: "v2.core.event",
      type: `v1.${type}`,
      created: new Date(this.now() * 1000).toISOString(),
      livemode: false,
      related_object: object && { id: object.id, type: object.object, url: `${paths[object.object]}/${object.id}` },
      ...more,
    };
    this.events.put(event.id, event);
    for (const listener of this.#listeners) listener(event);
  }
}

/** The path of the objects of a kind. */
const paths: Record<string, string> = {
  "billing.meter": "/v1/billing/meters",
  charge: "/v1/charges",
  credit_note: "/v1/credit_notes",
  dispute: "/v1/disputes",
  "checkout.session": "/v1/checkout/sessions",
  customer: "/v1/customers",
  invoice: "/v1/invoices",
  payment_method: "/v1/payment_methods",
  setup_intent: "/v1/setup_intents",
  subscription: "/v1/subscriptions",
};
