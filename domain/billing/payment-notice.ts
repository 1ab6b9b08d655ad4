// Notices about payments: mails to who looks after a workspace's billing. They say what has happened, so that nobody learns of a failing card
// by refused calls.
import * as z from "zod";
import type { Tenant } from "../workspace/tenant.ts";
import { billedMonth } from "./billed-month.ts";
import { isEarly } from "./early-invoice.ts";
import type { PaymentEvent } from "./payment-event.ts";
import type { PaymentInvoice } from "./payment-provider.ts";

const noticedInvoice = z.strictObject({
  id: z.string(),
  number: z.string().optional(),
  /** Set where the invoice bills another workspace of the owner than the notice is of. */
  workspace: z.string().optional(),
  /** The month of the invoice's usage, `2026-11`. */
  month: z.string(),
  /** Set for an invoice that was made before its month's end: the time of that, in milliseconds. */
  madeEarlyAt: z.int().optional(),
  totalCents: z.int(),
  dueCents: z.int(),
  currency: z.string(),
  /** Time of the provider's next attempt to collect, in milliseconds; missing if there is none. */
  nextAttemptAt: z.int().optional(),
  url: z.string().optional(),
});

export const paymentNoticeSchema = z.strictObject({
  kind: z.literal("payment"),
  tenant_id: z.string(),
  what: z.enum(["invoice_final", "payment_failed", "action_required", "suspended", "resumed"]),
  /** Distinguishes the notice from others of the workspace: each is mailed once. */
  about: z.string(),
  /** Missing where no invoice is the cause. */
  invoice: noticedInvoice.optional(),
});

export type NoticedInvoice = z.output<typeof noticedInvoice>;
export type PaymentNotice = z.output<typeof paymentNoticeSchema>;

export interface PaymentNotices {
  /** Sees to it that the notices are mailed, each once. May be repeated. */
  announce(notices: readonly PaymentNotice[]): Promise<void>;
}

type Change = { before: Tenant; after: Tenant };

type Seen = {
  event: PaymentEvent | undefined;
  /** The invoice that the event is about. */
  invoice: PaymentInvoice | undefined;
  invoices: readonly PaymentInvoice[];
  changes: readonly Change[];
  /** Ids of the debts that were not known before. */
  newDebts: readonly string[];
};

/** The notices that one reading of the provider's state leads to. The same state leads to the same notices again. */
export function paymentNotices({ event, invoice, invoices, changes, newDebts }: Seen): PaymentNotice[] {
  return [...ofEvent(event, invoice), ...changes.flatMap((change) => ofChange(change, newDebts, invoices))];
}

function ofEvent(event: PaymentEvent | undefined, invoice: PaymentInvoice | undefined): PaymentNotice[] {
  if (!invoice?.tenantId) return [];
  const { id, status, totalCents, nextAttemptAt } = invoice;
  const of = { kind: "payment", tenant_id: invoice.tenantId, invoice: noticed(invoice) } as const;
  if (event?.kind === "invoice_final" && totalCents > 0) return [{ ...of, what: "invoice_final", about: id }];
  if (status !== "open") return [];
  if (event?.kind === "action_required") return [{ ...of, what: "action_required", about: id }];
  // A failed last attempt suspends the workspace, which has a notice of its own.
  if (event?.kind !== "payment_failed" || nextAttemptAt === undefined) return [];
  return [{ ...of, what: "payment_failed", about: `${id}#${nextAttemptAt}` }];
}

function ofChange(
  { before, after }: Change,
  newDebts: readonly string[],
  invoices: readonly PaymentInvoice[],
): PaymentNotice[] {
  if (before.status === after.status) return [];
  const of = { kind: "payment", tenant_id: after.tenant_id } as const;
  if (after.status === "active") return [{ ...of, what: "resumed", about: before.suspended_at ?? "" }];
  const [about = ""] = newDebts;
  const own = invoices.find(({ id, tenantId }) => newDebts.includes(id) && tenantId === after.tenant_id);
  const invoice = own ?? invoices.find(({ id }) => id === about);
  if (!invoice) return [{ ...of, what: "suspended", about }];
  const workspace = own ? undefined : invoice.label?.workspace;
  return [{ ...of, what: "suspended", about, invoice: { ...noticed(invoice), ...(workspace && { workspace }) } }];
}

function noticed(invoice: PaymentInvoice): NoticedInvoice {
  const { id, number, totalCents, dueCents, currency, nextAttemptAt, url } = invoice;
  return {
    ...{ id, month: billedMonth(invoice), totalCents, dueCents, currency },
    ...(isEarly(invoice) && { madeEarlyAt: invoice.createdAt }),
    ...(number !== undefined && { number }),
    ...(nextAttemptAt !== undefined && { nextAttemptAt }),
    ...(url !== undefined && { url }),
  };
}
