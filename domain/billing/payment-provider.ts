// The payment provider: one customer for an owner, one metered subscription for each workspace, and what is billed on them.

/** Amounts of usage: a whole number of micro-USD. The provider is told decimals of a USD. */
export type MicroUsd = number;

export type PaymentCustomer = {
  id: string;
  email: string | undefined;
  defaultPaymentMethod: string | undefined;
  /** Cents that the customer owes of invoices too small to be charged; below zero a credit of the customer. */
  balanceCents: number;
};

/** A card or a bank account has the same fingerprint for each customer of the provider's account. */
export type PaymentMethod = { id: string; fingerprint: string | undefined };

/** The label on each invoice of a workspace, by which a finance department can tell invoices apart. */
export type InvoiceLabel = {
  workspace: string;
  purchaseOrder: string | undefined;
};

export type PaymentSubscription = {
  id: string;
  /** `active`, `past_due`, `unpaid`, `canceled` ... as the provider says. */
  status: string;
  /** When usage begins to count, and when the present period ends; milliseconds. */
  startedAt: number;
  periodEndsAt: number;
  /** The label of the subscription's invoices; undefined if it has none. */
  label: InvoiceLabel | undefined;
};

export type PaymentInvoice = {
  id: string;
  /** The number by which people name the invoice; undefined for a draft. */
  number: string | undefined;
  subscriptionId: string | undefined;
  label: InvoiceLabel | undefined;
  /** The workspace whose usage the invoice bills. */
  tenantId: string | undefined;
  status: "draft" | "open" | "paid" | "uncollectible" | "void";
  /** Without tax. */
  subtotalCents: number;
  totalCents: number;
  paidCents: number;
  dueCents: number;
  currency: string;
  /** The usage of the workspace that it bills, in all of its lines. What people added by hand is not in it. */
  quantity: MicroUsd;
  createdAt: number;
  /** When a draft becomes final, in milliseconds: usage counts until then. Undefined if it does not become final by itself. */
  finalizesAt: number | undefined;
  /** When the provider next tries to collect an open invoice, in milliseconds; undefined if it does not. */
  nextAttemptAt: number | undefined;
  finalizedAt: number | undefined;
  paidAt: number | undefined;
  /** Address of the invoice's page for the customer. */
  url: string | undefined;
  pdfUrl: string | undefined;
  /** The sum of the invoice's credit notes. */
  creditedCents: number;
  /** The amount that was paid outside of the provider, as people have marked it. */
  outsideCents: number;
  /** Whether a bank debit of an open invoice is on its way. It takes days, and may fail yet. */
  isProcessing: boolean;
};

/** A payment that arrived. */
export type PaymentCharge = {
  id: string;
  paidCents: number;
  refundedCents: number;
  /** `status` as the provider says it: `needs_response`, `under_review`, `lost`, `won`, `warning_...`. */
  dispute: { id: string; status: string } | undefined;
};

/** @param receiptUrl the customer's page of the receipt, if something was charged for the invoice */
export type ListedInvoice = PaymentInvoice & { receiptUrl: string | undefined };

export type UsageEvent = {
  customerId: string;
  /** Slot whose meter keeps the value. */
  slot: number;
  /** In milliseconds, whole seconds. Of a billing period the value with the latest time counts. */
  at: number;
  /** The month's whole usage so far. */
  value: MicroUsd;
};

/** Every operation rejects with a Refusal `payments_unavailable` if the outcome is not known, and with PaymentError if it was refused. */
export interface PaymentProvider {
  /** The owner's customer, if there is one. */
  findCustomer(owner: { sub: string; email: string }): Promise<PaymentCustomer | undefined>;
  /** The owner's customer, created if there is none. */
  customer(owner: { sub: string; email: string }): Promise<PaymentCustomer>;
  /** Undefined if the customer was deleted. */
  customerById(customerId: string): Promise<PaymentCustomer | undefined>;
  /** The workspace's subscription, if there is one. It may have ended. */
  findSubscription(wanted: { customerId: string; tenantId: string }): Promise<PaymentSubscription | undefined>;
  /**
   * The workspace's subscription, which may have ended, or a new one. A new subscription begins now, with automatic tax if that is
   * wanted and the customer's location is known.
   * @throws PaymentError `currency_mismatch` for a customer who is billed in another currency
   */
  subscription(wanted: {
    customerId: string;
    tenantId: string;
    slot: number;
    label: InvoiceLabel;
    automaticTax: boolean;
    /** An ended subscription to replace. If set, ended subscriptions are not returned. */
    insteadOf?: string | undefined;
  }): Promise<PaymentSubscription>;
  /** Undefined if there never was a subscription of this id. */
  subscriptionById(subscriptionId: string): Promise<PaymentSubscription | undefined>;
  /** Names the workspace on the subscription, its drafts and the invoices to come. */
  relabel(subscriptionId: string, label: InvoiceLabel): Promise<void>;
  /**
   * Turns automatic tax on for the customer's subscriptions and their draft invoices, where it is off.
   * @returns false while the customer's location is not known
   */
  applyTax(customerId: string): Promise<boolean>;
  /**
   * The address of a page on which the owner adds a payment method, and the company's name, address and tax id. The provider neither makes
   * the method the default nor pays open invoices with it.
   */
  setupPage(wanted: { customerId: string; successUrl: string; cancelUrl: string }): Promise<string>;
  /** The address of a page with the owner's payment methods and invoices. */
  portalPage(wanted: { customerId: string; returnUrl: string }): Promise<string>;
  /** The customer's payment methods, newest first. */
  paymentMethods(customerId: string): Promise<PaymentMethod[]>;
  makeDefault(customerId: string, paymentMethodId: string): Promise<void>;
  /** Tells the meter what the month comes to so far. The provider may show it later, and says nothing if it never will. */
  report(event: UsageEvent): Promise<void>;
  /**
   * Adds usage to a draft, or to a new one, as an item of its own.
   * @param wanted with a quantity below zero for usage that the draft has too much
   */
  addUsage(wanted: {
    customerId: string;
    tenantId: string;
    label: InvoiceLabel;
    /** The draft as it was read. Of two calls with the same draft only one adds the usage. */
    draft: Pick<PaymentInvoice, "id" | "quantity"> | undefined;
    quantity: MicroUsd;
  }): Promise<void>;
  /**
   * Bills usage before the month's end, on an invoice of its own that is collected at once. Of all calls with the same `billedBefore`, or the same
   * draft, one adds its quantity.
   * @returns the quantity that it has
   */
  billEarly(wanted: {
    customerId: string;
    tenantId: string;
    /** The workspace's subscription: the invoice is taxed in the same way. */
    subscriptionId: string;
    label: InvoiceLabel;
    /** The usage of the workspace that final invoices have billed before. */
    billedBefore: MicroUsd;
    /** An invoice that an earlier call began and did not collect. */
    draftId: string | undefined;
    quantity: MicroUsd;
  }): Promise<MicroUsd>;
  /** The customer's invoices, newest first. */
  invoices(customerId: string): Promise<PaymentInvoice[]>;
  /**
   * A page of the customer's invoices, newest first.
   * @param after the id of the page before's last one
   * @throws PaymentError about `starting_after` if the customer has no such invoice
   */
  invoicePage(
    customerId: string,
    page: { limit: number; after?: string | undefined },
  ): Promise<{ invoices: ListedInvoice[]; hasMore: boolean }>;
  /** The customer's payments that arrived, newest first. */
  charges(customerId: string): Promise<PaymentCharge[]>;
  /** The credit notes that `creditUsage` made for the customer's invoices. */
  usageCredits(customerId: string): Promise<{ invoiceId: string; quantity: MicroUsd }[]>;
  /**
   * Takes usage off a final invoice. Of all calls with the same `creditedBefore` one does.
   * @param wanted.cents with the tax on it: less to pay of an open invoice; of a paid one `refundedCents` go back as they came, and
   * the rest is a credit of the customer
   */
  creditUsage(wanted: {
    invoiceId: string;
    /** The sum of the invoice's earlier credit notes. */
    creditedBefore: MicroUsd;
    quantity: MicroUsd;
    cents: number;
    refundedCents: number;
  }): Promise<void>;
  /** Keeps an invoice a draft until `at` (milliseconds). */
  holdDraft(invoiceId: string, at: number): Promise<void>;
  /** Makes a draft final and collects it, or tries once more to collect an open invoice. A declined invoice stays `open`. */
  collect(invoiceId: string): Promise<PaymentInvoice>;
  /** Ends the subscription. Usage that is aggregated by now becomes a draft invoice, which `collect` makes final. May be repeated. */
  cancel(subscriptionId: string): Promise<void>;
  /** Deletes the customer with its payment methods. Its subscriptions end without an invoice. May be repeated. */
  deleteCustomer(customerId: string): Promise<void>;
}

/** The provider refused a call. Its own message stays out, since it may quote what was sent; the request's id finds it in the provider's log. */
export class PaymentError extends Error {
  override name = "PaymentError";
  /** The provider's code, e.g. `resource_missing`; its kind of error where there is none. */
  readonly code: string;
  /** The parameter that was refused. */
  readonly param: string | undefined;

  constructor(
    operation: string,
    refused: { code: string; param?: string | undefined; requestId?: string | undefined },
  ) {
    const { code, param, requestId } = refused;
    const details = [param, requestId].filter((one) => one !== undefined);
    super(`The payment provider refused ${operation}: ${code}${details.length > 0 ? ` (${details.join(", ")})` : ""}`);
    this.code = code;
    this.param = param;
  }
}
