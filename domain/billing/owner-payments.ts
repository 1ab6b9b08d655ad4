// Payments of a workspace's owner: balance, subscription and invoices as the payment provider has them, and its pages for the owner.
import * as z from "zod";
import type { Log } from "../kernel/log.ts";
import type { Page, PageRequest } from "../kernel/page.ts";
import { Refusal } from "../kernel/refusal.ts";
import { together } from "../kernel/together.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import type { Customer, CustomerStore } from "./customer.ts";
import { isGivenUp, isOwed } from "./debt.ts";
import { given, invoicePage, type OwnerInvoice, ownerInvoiceSchema, shownInvoice } from "./owner-invoices.ts";
import { payerOf } from "./payer.ts";
import { PaymentError, type PaymentInvoice, type PaymentProvider } from "./payment-provider.ts";

const time = z.iso.datetime();

const invoice = ownerInvoiceSchema
  .pick({
    ...{ invoice_id: true, currency: true, due: true, created_at: true },
    ...{ finalizes_at: true, next_attempt_at: true, url: true },
  })
  .extend({
    subscription_id: z
      .string()
      .optional()
      .describe(
        "Id of the subscription that the invoice bills. It can belong to another workspace of the same owner, whose unpaid invoice suspends this workspace, too",
      ),
    status: z
      .enum(["draft", "open", "uncollectible"])
      .describe("State of the invoice. Usage is still added to a `draft`; an `open` invoice must be paid"),
    total: z.number().describe("Amount of the invoice, in USD"),
  })
  .meta({ id: "Invoice", description: "An unpaid invoice of the owner, for any of the owner's workspaces" });

const dispute = z
  .object({
    dispute_id: z.string().describe("Id of the dispute at the payment provider"),
    status: z
      .string()
      .describe(
        "Status of the dispute, as the payment provider names it. `needs_response`, `under_review` and `lost` suspend the owner's workspaces; `won` and `warning_...` do not",
      ),
    amount: z.number().describe("Amount of the disputed payment, in USD"),
  })
  .meta({ id: "Dispute", description: "A payment of the owner that the owner's bank disputes" });

const subscription = z
  .object({
    subscription_id: z.string().describe("Id of the subscription at the payment provider"),
    status: z.string().describe("Status of the subscription, as the payment provider names it"),
    started_at: time.describe("When the subscription began"),
    period_ends_at: time.describe("When the current billing period ends. The period's usage is billed then"),
  })
  .meta({ id: "Subscription", description: "The subscription at the payment provider that bills the workspace" });

export const paymentStateSchema = z.object({
  balance: z
    .number()
    .describe(
      "Balance of the owner, in USD: amounts that were too small to be charged. A negative balance is a credit of the owner",
    ),
  subscription: subscription.optional().describe("The workspace's subscription. Missing until it is created"),
  invoices: z.array(invoice).describe("Unpaid invoices, newest first"),
  disputes: z.array(dispute).describe("Disputed payments, newest first, closed disputes included"),
});

export type PaymentState = z.output<typeof paymentStateSchema>;

export interface OwnerPayments {
  /** Undefined if the owner has no customer at the provider: not yet, or not any more. @throws Refusal */
  state(tenantId: string): Promise<PaymentState | undefined>;
  /** Invoices of all workspaces of the tenant's owner. Undefined if the owner has no customer. @throws Refusal */
  invoices(tenantId: string, page: PageRequest): Promise<Page<OwnerInvoice> | undefined>;
  /** Makes the workspace's invoices name it as it is called now. @throws Refusal */
  label(tenantId: string): Promise<void>;
  /** The address of a page on which the owner adds a payment method. @throws Refusal */
  setupPage(tenantId: string, back: { successUrl: string; cancelUrl: string }): Promise<string>;
  /** The address of a page with the owner's payment methods and invoices. @throws Refusal */
  portalPage(tenantId: string, back: { returnUrl: string }): Promise<string>;
}

export type OwnerPaymentsDependencies = {
  payments: () => Promise<PaymentProvider>;
  customers: Pick<CustomerStore, "get">;
  tenants: Pick<TenantStore, "get">;
  /** Brings the owner's workspaces in line with the provider. */
  refresh: (ownerSub: string) => Promise<void>;
  log: Log;
};

/** How many invoices an answer shows: a year's for each of an owner's five workspaces. */
const maxInvoices = 60;

export function ownerPayments(deps: OwnerPaymentsDependencies): OwnerPayments {
  const { payments, customers, tenants, refresh, log } = deps;

  async function customerOf(tenantId: string): Promise<{ tenant: Tenant; customer: Customer } | undefined> {
    const tenant = await tenants.get(tenantId);
    const customer = tenant && (await customers.get(tenant.owner_sub));
    return customer && !customer.is_leaving ? { tenant, customer } : undefined;
  }

  async function page(tenantId: string, open: (provider: PaymentProvider, customerId: string) => Promise<string>) {
    const found = await customerOf(tenantId);
    if (!found) throw notYet();
    return open(await payments(), found.customer.customer_id).catch((error: unknown) => {
      // The customer was deleted in the provider's dashboard.
      if (error instanceof PaymentError && error.code === "resource_missing") throw notYet(error);
      throw error;
    });
  }

  return {
    async state(tenantId) {
      const found = await customerOf(tenantId);
      if (!found) return undefined;
      const { customer_id: customerId } = found.customer;
      const { stripe_subscription_id } = found.tenant;
      const provider = await payments();
      const customer = await provider.customerById(customerId);
      if (!customer) return undefined;
      const [subscription, invoices, methods, charges] = await together([
        stripe_subscription_id && provider.subscriptionById(stripe_subscription_id),
        provider.invoices(customerId),
        provider.paymentMethods(customerId),
        provider.charges(customerId),
      ]);
      if (differs(found.customer, invoices, methods.length > 0)) {
        // The workspaces are behind the provider's state: an event was lost, or is still on its way. The answer does not depend on it.
        await refresh(found.tenant.owner_sub).catch((error: unknown) => {
          log.problem("An owner's state at the payment provider could not be taken over", {}, error);
        });
      }
      return {
        balance: customer.balanceCents / 100,
        ...(subscription && {
          subscription: {
            subscription_id: subscription.id,
            status: subscription.status,
            started_at: iso(subscription.startedAt),
            period_ends_at: iso(subscription.periodEndsAt),
          },
        }),
        invoices: invoices.flatMap(unpaid).slice(0, maxInvoices),
        disputes: charges.flatMap(({ dispute: of, paidCents }) =>
          of ? [{ dispute_id: of.id, status: of.status, amount: paidCents / 100 }] : [],
        ),
      };
    },

    async invoices(tenantId, page) {
      const found = await customerOf(tenantId);
      return found && invoicePage(await payments(), found.customer.customer_id, page);
    },

    async label(tenantId) {
      const tenant = await tenants.get(tenantId);
      const payer = payerOf(tenant);
      if (!payer || payer.isDeleted) return;
      try {
        await (await payments()).relabel(payer.subscriptionId, payer.label);
      } catch (error) {
        // A subscription that has ended cannot be changed, and has no invoice to come.
        if (!(error instanceof PaymentError)) throw error;
      }
    },

    setupPage: (tenantId, back) =>
      page(tenantId, (provider, customerId) => provider.setupPage({ customerId, ...back })),

    portalPage: (tenantId, back) =>
      page(tenantId, (provider, customerId) => provider.portalPage({ customerId, ...back })),
  };
}

/** Whether what is known of the owner is not what the provider has. Disputes are left to the daily reading. */
function differs(
  { has_payment_method, owes = [] }: Customer,
  invoices: readonly PaymentInvoice[],
  hasMethod: boolean,
): boolean {
  const isNew = (one: PaymentInvoice) => isGivenUp(one) && !owes.includes(one.id);
  const isOver = (one: PaymentInvoice) => !isOwed(one) && owes.includes(one.id);
  return hasMethod !== has_payment_method || invoices.some((one) => isNew(one) || isOver(one));
}

function notYet(cause?: unknown): Refusal {
  const message = "The workspace's billing is not set up yet. Try again in a moment.";
  return new Refusal("payments_unavailable", message, { cause });
}

function unpaid(one: PaymentInvoice): PaymentState["invoices"] {
  if (one.status === "paid" || one.status === "void") return [];
  return [invoice.parse({ ...shownInvoice(one), ...given("subscription_id", one.subscriptionId) })];
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
