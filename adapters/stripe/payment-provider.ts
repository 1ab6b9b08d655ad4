// Stripe as the payment provider. Each operation may be repeated: it looks first for what an earlier attempt created or ended.
import Stripe from "stripe";
import type {
  InvoiceLabel,
  PaymentCustomer,
  PaymentInvoice,
  PaymentProvider,
  PaymentSubscription,
} from "../../domain/billing/payment-provider.ts";
import { applyTax, finalizeUntaxed, unknownLocation } from "./automatic-tax.ts";
import { arrivedCharges } from "./charges.ts";
import { call, isRefused, type StripeOptions, stripeClient, undefinedIfMissing } from "./client.ts";
import { customerFrom, invoiceFrom, subscriptionFrom } from "./conversion.ts";
import { earlyInvoiceBiller } from "./early-invoice.ts";
import { findOrCreate } from "./find-or-create.ts";
import { customFields, labelled } from "./invoice-label.ts";
import { invoicePages, invoicesOf } from "./invoices.ts";
import { meterEventSender } from "./meter-event.ts";
import { portalConfiguration } from "./portal-configuration.ts";
import { setupPageOpener } from "./setup-page.ts";
import { Slots } from "./slots.ts";
import { usageCrediter, usageCreditLister } from "./usage-credit.ts";
import { usageItemAdder } from "./usage-item.ts";

export function stripePayments(options: StripeOptions): PaymentProvider {
  const stripe = stripeClient(options);
  const slots = new Slots(stripe);
  return {
    findCustomer: async (owner) => {
      const found = await call("customers.list", () => findCustomer(stripe, owner));
      return found && customerFrom(found);
    },
    customer: (owner) => findOrMakeCustomer(stripe, owner),
    customerById: async (customerId) => {
      const customer = await call("customers.retrieve", () => stripe.customers.retrieve(customerId));
      return customer.deleted ? undefined : customerFrom(customer);
    },
    findSubscription: async (wanted) => {
      const found = await call("subscriptions.list", () => findSubscription(stripe, wanted));
      return found && subscriptionFrom(found);
    },
    subscription: (wanted) => findOrMakeSubscription(stripe, slots, wanted),
    subscriptionById: (subscriptionId) =>
      call("subscriptions.retrieve", async () => {
        const found = await stripe.subscriptions.retrieve(subscriptionId).catch(undefinedIfMissing);
        return found && subscriptionFrom(found);
      }),
    applyTax: (customerId) => call("subscriptions.update", () => applyTax(stripe, customerId)),
    setupPage: setupPageOpener(stripe),
    relabel: (subscriptionId, label) => call("subscriptions.update", () => relabel(stripe, subscriptionId, label)),
    portalPage: async ({ customerId, returnUrl }) => {
      const configuration = await portalConfiguration(stripe);
      const { url } = await call("billingPortal.sessions.create", () =>
        stripe.billingPortal.sessions.create({
          customer: customerId,
          return_url: returnUrl,
          ...(configuration && { configuration: configuration.id }),
        }),
      );
      return url;
    },
    paymentMethods: async (customerId) => {
      const methods = await call("customers.listPaymentMethods", () =>
        stripe.customers.listPaymentMethods(customerId, { limit: 100 }).autoPagingToArray({ limit: 1_000 }),
      );
      return methods.map(({ id, card, sepa_debit, us_bank_account }) => {
        const fingerprint = card?.fingerprint ?? sepa_debit?.fingerprint ?? us_bank_account?.fingerprint;
        return { id, fingerprint: fingerprint ?? undefined };
      });
    },
    makeDefault: async (customerId, paymentMethodId) => {
      const update = { invoice_settings: { default_payment_method: paymentMethodId } };
      await call("customers.update", () => stripe.customers.update(customerId, update));
    },
    report: meterEventSender(stripe, slots),
    addUsage: usageItemAdder(stripe),
    usageCredits: usageCreditLister(stripe),
    creditUsage: usageCrediter(stripe),
    billEarly: earlyInvoiceBiller(stripe, (invoiceId) => collect(stripe, invoiceId)),
    invoices: (customerId) => invoicesOf(stripe, customerId),
    invoicePage: invoicePages(stripe),
    charges: (customerId) => call("charges.list", () => arrivedCharges(stripe, customerId)),
    holdDraft: async (invoiceId, at) => {
      // Stripe makes a draft final at a set time only while the draft advances by itself.
      const update = { automatically_finalizes_at: Math.floor(at / 1000), auto_advance: true };
      await call("invoices.update", () => stripe.invoices.update(invoiceId, update));
    },
    collect: (invoiceId) => collect(stripe, invoiceId),
    cancel: (subscriptionId) => cancel(stripe, subscriptionId),
    deleteCustomer: (customerId) =>
      call("customers.del", async () => {
        await stripe.customers.del(customerId).catch(undefinedIfMissing);
      }),
  };
}

type Owner = { sub: string; email: string };

/** Finds the customer by address and metadata: addresses are not unique at Stripe, so the owner's sub decides. */
async function findCustomer(stripe: Stripe, { sub, email }: Owner): Promise<Stripe.Customer | undefined> {
  for await (const customer of stripe.customers.list({ email, limit: 100 })) {
    if (customer.metadata.owner_sub === sub) return customer;
  }
  return undefined;
}

async function findOrMakeCustomer(stripe: Stripe, owner: Owner): Promise<PaymentCustomer> {
  const { sub, email } = owner;
  const find = () => findCustomer(stripe, owner);
  const create = (idempotencyKey: string) =>
    stripe.customers.create({ email, metadata: { owner_sub: sub } }, { idempotencyKey });
  return customerFrom(await findOrCreate("customers.create", `archway-customer-${sub}`, find, create));
}

type WantedSubscription = Parameters<PaymentProvider["subscription"]>[0];

async function findSubscription(
  stripe: Stripe,
  { customerId, tenantId, insteadOf }: Pick<WantedSubscription, "customerId" | "tenantId" | "insteadOf">,
): Promise<Stripe.Subscription | undefined> {
  for await (const one of stripe.subscriptions.list({ customer: customerId, status: "all", limit: 100 })) {
    if (one.metadata.tenant_id !== tenantId) continue;
    if (insteadOf === undefined || one.ended_at === null) return one;
  }
  return undefined;
}

async function findOrMakeSubscription(
  stripe: Stripe,
  slots: Slots,
  { customerId, tenantId, slot, label, automaticTax, insteadOf }: WantedSubscription,
): Promise<PaymentSubscription> {
  const { priceId } = await slots.get(slot);
  const find = () => findSubscription(stripe, { customerId, tenantId, insteadOf });
  const key = `archway-subscription-${tenantId}${insteadOf === undefined ? "" : `-${insteadOf}`}`;
  const create = (idempotencyKey: string) =>
    stripe.subscriptions.create(
      {
        customer: customerId,
        items: [{ price: priceId }],
        billing_mode: { type: "flexible" },
        // Billing periods are the months of the accounting, in UTC.
        billing_cycle_anchor_config: { day_of_month: 1, hour: 0, minute: 0, second: 0 },
        metadata: { tenant_id: tenantId, slot: String(slot) },
        ...labelled(label),
      },
      { idempotencyKey },
    );
  const subscription = await findOrCreate("subscriptions.create", key, find, create);
  if (automaticTax) await call("subscriptions.update", () => applyTax(stripe, customerId));
  return subscriptionFrom(subscription);
}

/** Drafts have the fields that the subscription had when they were made. */
async function relabel(stripe: Stripe, subscription: string, label: InvoiceLabel): Promise<void> {
  await stripe.subscriptions.update(subscription, labelled(label));
  const drafts = await stripe.invoices.list({ subscription, status: "draft", limit: 100 });
  for (const { id } of drafts.data) await stripe.invoices.update(id, { custom_fields: customFields(label) });
}

/** Reads the invoice first: one that is paid meanwhile, or is not to be paid, stays as it is. */
async function collect(stripe: Stripe, invoiceId: string): Promise<PaymentInvoice> {
  return call("invoices.pay", async () => {
    let invoice = await stripe.invoices.retrieve(invoiceId);
    if (invoice.status === "draft") {
      await makeFinal(stripe, invoiceId);
      invoice = await stripe.invoices.retrieve(invoiceId);
    }
    if (invoiceFrom(invoice).status !== "open") return invoiceFrom(invoice);
    // Cancelling the subscription turned `auto_advance` off. With it Stripe tries again by itself if this attempt fails, but for what was
    // written off, of which only the payment can be changed.
    if (!invoice.auto_advance && invoice.status === "open")
      await stripe.invoices.update(invoiceId, { auto_advance: true });
    try {
      return invoiceFrom(await stripe.invoices.pay(invoiceId));
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripeCardError || error instanceof Stripe.errors.StripeInvalidRequestError))
        throw error;
      // The card was declined, there is no method, or the invoice was paid at this moment: the invoice tells which.
      return invoiceFrom(await stripe.invoices.retrieve(invoiceId));
    }
  });
}

/** Makes the draft final. Cancelling stopped its collection, which `auto_advance` starts again. */
async function makeFinal(stripe: Stripe, invoiceId: string): Promise<void> {
  try {
    await stripe.invoices.finalizeInvoice(invoiceId, { auto_advance: true });
  } catch (error) {
    if (isRefused(error, unknownLocation)) return finalizeUntaxed(stripe, invoiceId);
    if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error;
    // Stripe has no code for an invoice that became final meanwhile, so the invoice is read again.
    if ((await stripe.invoices.retrieve(invoiceId)).status === "draft") throw error;
  }
}

/** Without `invoice_now` Stripe would drop the usage of the period. A subscription that has ended already is not found. */
async function cancel(stripe: Stripe, subscriptionId: string): Promise<void> {
  await call("subscriptions.cancel", async () => {
    await stripe.subscriptions.cancel(subscriptionId, { invoice_now: true, prorate: false }).catch(undefinedIfMissing);
  });
}
