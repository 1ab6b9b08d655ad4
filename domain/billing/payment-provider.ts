// The payment provider: one customer for an owner, one metered subscription for each workspace, and what is billed on them.

/** A unit of what is reported: a micro-USD, in whole numbers of at most 15 digits. */
export type MicroUsd = number;

export type PaymentCustomer = {
  id: string;
  /** Lower case, e.g. `usd`; none until something was billed. */
  currency: string | undefined;
  defaultPaymentMethod: string | undefined;
  /** In cents; what the customer owes of invoices that were too small to be charged, below zero what it has to its credit. */
  balanceCents: number;
};

export type PaymentSubscription = {
  id: string;
  customerId: string;
  /** `active`, `past_due`, `unpaid`, `canceled` ... as the provider says. */
  status: string;
  /** When usage begins to count, and when the present period ends; milliseconds. */
  startedAt: number;
  periodEndsAt: number;
};

export type PaymentInvoice = {
  id: string;
  subscriptionId: string | undefined;
  status: "draft" | "open" | "paid" | "uncollectible" | "void";
  totalCents: number;
  dueCents: number;
  currency: string;
  /** What was billed by line, in micro-USD. */
  quantity: MicroUsd;
  createdAt: number;
  /** Usage of a draft counts until then; none if nobody makes it final. Milliseconds. */
  finalizesAt: number | undefined;
  /** None for an open invoice that the provider tries to collect no more. Milliseconds. */
  nextAttemptAt: number | undefined;
  /** Where its customer sees it. */
  url: string | undefined;
};

export type UsageEvent = {
  customerId: string;
  /** Which meter: `usage_<slot>`. */
  slot: number;
  /** Unique for a day at least; another report of the hour needs another one. */
  identifier: string;
  /** In the hour, the subscription and the invoice's period; milliseconds. */
  at: number;
  /** Below zero for what an earlier event of the period had too much (docs.stripe.com/billing/subscriptions/usage-based/meters/configure). */
  value: MicroUsd;
};

/**
 * `taken`, also if it was taken before; `too_old` is past the 35 days in which usage can be reported. Taken is not aggregated:
 * whether it counts is told by `aggregated`, and by an event if the provider knows no such meter or customer.
 */
export type UsageOutcome = "taken" | "too_old";

/** Every operation rejects with a Refusal `payments_unavailable` if the outcome is not known, and with PaymentError if it was refused. */
export interface PaymentProvider {
  /** The owner's customer, if it was made. */
  findCustomer(owner: { sub: string; email: string }): Promise<PaymentCustomer | undefined>;
  /** The owner's customer: the one that is there, or a new one. */
  customer(owner: { sub: string; email: string }): Promise<PaymentCustomer>;
  /** None if it was deleted. */
  customerById(customerId: string): Promise<PaymentCustomer | undefined>;
  /** The workspace's subscription, if it was made, also one that has ended. */
  findSubscription(wanted: { customerId: string; tenantId: string }): Promise<PaymentSubscription | undefined>;
  /**
   * The workspace's subscription, also one that has ended: there is never a second one. A new one begins now, with automatic tax
   * if that is wanted and the customer's location is known.
   * @throws PaymentError `currency_mismatch` for a customer whom somebody bills in another currency
   */
  subscription(wanted: {
    customerId: string;
    tenantId: string;
    slot: number;
    automaticTax: boolean;
    /** One that has ended, whose place a new one takes: those that have ended are passed over then. */
    insteadOf?: string | undefined;
  }): Promise<PaymentSubscription>;
  /** None if there never was one of this id. */
  subscriptionById(subscriptionId: string): Promise<PaymentSubscription | undefined>;
  /**
   * Turns automatic tax on for the customer's subscriptions, and for what they bill and is not final, where it is off.
   * @returns false while the customer's location is not known
   */
  applyTax(customerId: string): Promise<boolean>;
  /** A page on which the owner adds a payment method. It becomes no default, and pays nothing that is open. */
  setupPage(wanted: {
    customerId: string;
    successUrl: string;
    cancelUrl: string;
    collectAddress: boolean;
  }): Promise<{ id: string; url: string }>;
  /** A page with the owner's payment methods and invoices. */
  portalPage(wanted: { customerId: string; returnUrl: string }): Promise<{ url: string }>;
  /** What a finished set-up brought; none while it is not finished. */
  finishedSetup(setupPageId: string): Promise<{ customerId: string; paymentMethodId: string } | undefined>;
  /** Newest first. */
  paymentMethods(customerId: string): Promise<string[]>;
  makeDefault(customerId: string, paymentMethodId: string): Promise<void>;
  /** An hour's usage. A second event of an hour replaces the first. */
  report(event: UsageEvent): Promise<UsageOutcome>;
  /** What the provider has aggregated of the hour that begins at `hourStart` (milliseconds); none if it has nothing yet. */
  aggregated(wanted: { customerId: string; slot: number; hourStart: number }): Promise<MicroUsd | undefined>;
  /** What the provider has aggregated from one time until before another (milliseconds, at whole minutes); 0 if it has nothing. */
  aggregatedBetween(wanted: { customerId: string; slot: number; from: number; until: number }): Promise<MicroUsd>;
  /** Newest first. */
  invoices(customerId: string): Promise<PaymentInvoice[]>;
  /** Gives a draft until `at` (milliseconds). */
  holdDraft(invoiceId: string, at: number): Promise<void>;
  /** Makes a draft final and collects it, or tries once more to collect an open one. What a card declines stays `open`. */
  collect(invoiceId: string): Promise<PaymentInvoice>;
  /** Ends the subscription; usage that is aggregated by now becomes an invoice, which is left to `collect`. Twice does no harm. */
  cancel(subscriptionId: string): Promise<void>;
  /** With its payment methods. Its subscriptions end without an invoice. Twice does no harm. */
  deleteCustomer(customerId: string): Promise<void>;
}

/** The provider refused. Its own words are for people at the provider's dashboard and stay out: they may quote what was sent. */
export class PaymentError extends Error {
  override name = "PaymentError";
  /** The provider's code, e.g. `resource_missing`; its kind of error where there is none. */
  readonly code: string;
  /** The parameter that it is about. */
  readonly param: string | undefined;
  /** By which the provider's log knows the request. */
  readonly requestId: string | undefined;

  constructor(
    operation: string,
    refused: { code: string; param?: string | undefined; requestId?: string | undefined },
  ) {
    const { code, param, requestId } = refused;
    super(`The payment provider refused ${operation}: ${code}${param ? ` (${param})` : ""}`);
    this.code = code;
    this.param = param;
    this.requestId = requestId;
  }
}
