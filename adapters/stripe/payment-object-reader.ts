// Reads the object of an event from the stack's own Stripe account, with the owner and the tenant that its metadata names.
import type Stripe from "stripe";
import type { PaymentEvent, PaymentEventSource } from "../../domain/billing/payment-event.ts";
import type { PaymentObject, PaymentObjectReader } from "../../domain/billing/payment-object.ts";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import { call, type StripeOptions, stripeClient, undefinedIfMissing } from "./client.ts";
import { idOf, invoiceFrom } from "./conversion.ts";

/** The object before its customer is read, whose metadata names the owner. */
type Found = Omit<PaymentObject, "customerId" | "ownerSub"> & { customerId: string | undefined };
type Read = (id: string, event: PaymentEvent) => Promise<Found | undefined>;
type Sources = { payments: Pick<PaymentProvider, "finishedSetup">; events: Pick<PaymentEventSource, "details"> };

export function stripeObjectReader(options: StripeOptions, { payments, events }: Sources): PaymentObjectReader {
  const stripe = stripeClient(options);
  const readers: [prefix: string, read: Read][] = [
    [
      "v1.checkout.session.",
      async (id) => {
        const setup = await payments.finishedSetup(id).catch(undefinedIfMissing);
        return setup && { ...setup, tenantId: undefined };
      },
    ],
    [
      "v1.payment_method.",
      async (id, event) => {
        const method = await retrieved("paymentMethods.retrieve", () => stripe.paymentMethods.retrieve(id));
        // Stripe removes the customer from a detached payment method; the event's previous attributes still name it.
        const before = method?.customer === null ? await events.details(event.id).catch(undefinedIfMissing) : undefined;
        return { customerId: idOf(method?.customer) ?? before?.previousCustomerId, tenantId: undefined };
      },
    ],
    ["v1.customer.subscription.", (id) => ofSubscription(stripe, id)],
    ["v1.customer.", async (id) => ({ customerId: id, tenantId: undefined })],
    ["v1.invoice.", (id) => ofInvoice(stripe, id)],
    ["v1.charge.dispute.", (id) => ofDispute(stripe, id)],
    [
      "v1.charge.",
      async (id) =>
        ofCustomer((await retrieved("charges.retrieve", () => stripe.charges.retrieve(id)))?.customer ?? null),
    ],
    [
      "v1.credit_note.",
      async (id) =>
        ofCustomer((await retrieved("creditNotes.retrieve", () => stripe.creditNotes.retrieve(id)))?.customer ?? null),
    ],
  ];

  return {
    async read(event) {
      const { type, objectId } = event;
      const read = readers.find(([prefix]) => type.startsWith(prefix))?.[1];
      const found = objectId === undefined ? undefined : await read?.(objectId, event);
      if (!found?.customerId) return undefined;
      const { customerId } = found;
      const customer = await retrieved("customers.retrieve", () => stripe.customers.retrieve(customerId));
      if (!customer) return undefined;
      return { ...found, customerId, ownerSub: customer.deleted ? undefined : customer.metadata.owner_sub };
    },
  };
}

async function ofSubscription(stripe: Stripe, id: string): Promise<Found | undefined> {
  const subscription = await retrieved("subscriptions.retrieve", () => stripe.subscriptions.retrieve(id));
  if (!subscription) return undefined;
  const { status, metadata, customer } = subscription;
  return { customerId: idOf(customer), tenantId: metadata.tenant_id, subscription: { id, status } };
}

async function ofInvoice(stripe: Stripe, id: string): Promise<Found | undefined> {
  const invoice = await retrieved("invoices.retrieve", () => stripe.invoices.retrieve(id));
  if (!invoice) return undefined;
  const tenantId = invoice.parent?.subscription_details?.metadata?.tenant_id;
  return { customerId: idOf(invoice.customer), tenantId, invoice: invoiceFrom(invoice) };
}

async function ofDispute(stripe: Stripe, id: string): Promise<Found> {
  const dispute = await retrieved("disputes.retrieve", () => stripe.disputes.retrieve(id, { expand: ["charge"] }));
  return ofCustomer(typeof dispute?.charge === "object" ? dispute.charge.customer : null);
}

function ofCustomer(customer: string | { id: string } | null): Found {
  return { customerId: idOf(customer), tenantId: undefined };
}

/** Undefined if Stripe does not know the object, e.g. since test data of the account was deleted after the event. */
function retrieved<T>(operation: string, retrieve: () => Promise<T>): Promise<T | undefined> {
  return call(operation, retrieve).catch(undefinedIfMissing);
}
