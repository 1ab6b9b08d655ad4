// Reads the object of an event from the stack's own Stripe account, with the owner and the tenant that its metadata names.
import type Stripe from "stripe";
import type { PaymentEvent } from "../../domain/billing/payment-event.ts";
import type { PaymentObject, PaymentObjectReader } from "../../domain/billing/payment-object.ts";
import { call, type StripeOptions, stripeClient, undefinedIfMissing } from "./client.ts";
import { idOf, invoiceFrom } from "./conversion.ts";

/** An object whose owner is not known yet: the metadata of its customer names the owner. */
type Found = Omit<PaymentObject, "customerId" | "ownerSub"> & { customerId: string | undefined };
type Read = (stripe: Stripe, id: string, event: PaymentEvent) => Promise<Found | undefined>;

/** The readers by the beginning of an event's type: the first one that fits reads the event's object. */
const readers: [beginning: string, read: Read][] = [
  ["v1.checkout.session.", ofSetupPage],
  ["v1.payment_method.", ofPaymentMethod],
  ["v1.customer.subscription.", ofSubscription],
  ["v1.customer.", async (_, id) => ofCustomer(id)],
  ["v1.invoice.", ofInvoice],
  ["v1.charge.dispute.", ofDispute],
  ["v1.charge.", async (stripe, id) => ofCustomer((await known(() => stripe.charges.retrieve(id)))?.customer)],
  ["v1.credit_note.", async (stripe, id) => ofCustomer((await known(() => stripe.creditNotes.retrieve(id)))?.customer)],
];

export function stripeObjectReader(options: StripeOptions): PaymentObjectReader {
  const stripe = stripeClient(options);
  return {
    read: (event) =>
      call(`reading ${event.type}`, async () => {
        const { type, objectId } = event;
        const read = readers.find(([beginning]) => type.startsWith(beginning))?.[1];
        const found = objectId === undefined ? undefined : await read?.(stripe, objectId, event);
        if (!found?.customerId) return undefined;
        const { customerId } = found;
        const customer = await known(() => stripe.customers.retrieve(customerId));
        if (!customer) return undefined;
        return { ...found, customerId, ownerSub: customer.deleted ? undefined : customer.metadata.owner_sub };
      }),
  };
}

/** A set-up page says whose method it brought once it is finished. */
async function ofSetupPage(stripe: Stripe, id: string): Promise<Found | undefined> {
  const session = await known(() => stripe.checkout.sessions.retrieve(id));
  const intentId = idOf(session?.setup_intent);
  if (session?.status !== "complete" || !intentId) return undefined;
  const { customer, payment_method } = await stripe.setupIntents.retrieve(intentId);
  return { ...ofCustomer(customer), paymentMethodId: idOf(payment_method) };
}

/** Stripe removes the customer from a detached payment method; the event's previous attributes still name it. */
async function ofPaymentMethod(stripe: Stripe, id: string, event: PaymentEvent): Promise<Found | undefined> {
  const method = await known(() => stripe.paymentMethods.retrieve(id));
  if (method?.customer !== null) return ofCustomer(method?.customer);
  const told = await known(() => stripe.v2.core.events.retrieve(event.id));
  const before = (told?.changes as { before?: { customer?: string | { id: string } } } | undefined)?.before;
  return ofCustomer(before?.customer);
}

async function ofSubscription(stripe: Stripe, id: string): Promise<Found | undefined> {
  const subscription = await known(() => stripe.subscriptions.retrieve(id));
  if (!subscription) return undefined;
  const { status, metadata, customer } = subscription;
  return { customerId: idOf(customer), tenantId: metadata.tenant_id, subscription: { id, status } };
}

async function ofInvoice(stripe: Stripe, id: string): Promise<Found | undefined> {
  const found = await known(() => stripe.invoices.retrieve(id));
  if (!found) return undefined;
  const invoice = invoiceFrom(found);
  return { customerId: idOf(found.customer), tenantId: invoice.tenantId, invoice };
}

async function ofDispute(stripe: Stripe, id: string): Promise<Found> {
  const dispute = await known(() => stripe.disputes.retrieve(id, { expand: ["charge"] }));
  return ofCustomer(typeof dispute?.charge === "object" ? dispute.charge.customer : null);
}

function ofCustomer(customer: string | { id: string } | null | undefined): Found {
  return { customerId: idOf(customer), tenantId: undefined };
}

/** Undefined if Stripe does not know the object, e.g. since test data of the account was deleted after the event. */
function known<T>(retrieve: () => Promise<T>): Promise<T | undefined> {
  return retrieve().catch(undefinedIfMissing);
}
