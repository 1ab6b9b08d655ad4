// From a draft to a paid invoice: final, collected, tried again, given up.
import type { Account } from "../account.ts";
import type { Invoice, PaymentMethod, Subscription } from "../objects.ts";
import { chargeable } from "../test-cards.ts";
import { counted, subscriptionOf } from "./drafts.ts";
import { lacksLocation, locationError, withoutTax } from "./tax.ts";

const hourSeconds = 3_600;
const daySeconds = 86_400;

/** Freezes a draft. Below the minimum charge it is paid, and its amount goes to the customer's balance. */
export function finalize(account: Account, draft: Invoice, advances = draft.auto_advance ?? false): Invoice {
  const final = finalized(account, draft, advances);
  return final.status === "open" && advances ? attempt(account, final) : final;
}

/** Nothing is tried at once; what advances is an hour later (github.com/Kiln-AI/stripe_world, phase 13, for what is tried). */
export function finalizeByHand(account: Account, draft: Invoice, advances: boolean): Invoice {
  const final = finalized(account, draft, advances);
  if (final.status !== "open" || !advances) return final;
  return account.putInvoice({ ...final, next_payment_attempt: account.now() + hourSeconds });
}

function finalized(account: Account, draft: Invoice, advances: boolean): Invoice {
  const present = counted(account, draft);
  const isUntaxed = lacksLocation(account, present);
  const invoice = isUntaxed ? withoutTax(account, present, subscriptionOf(account, present)) : present;
  const owed = invoice.total + invoice.starting_balance;
  const ending_balance = owed - invoice.amount_due;
  const kept = account.customers.get(invoice.customer);
  if (kept) account.customers.put(kept.id, { ...kept, customer: { ...kept.customer, balance: ending_balance } });
  const final = account.putInvoice({
    ...invoice,
    status: "open",
    auto_advance: advances,
    automatically_finalizes_at: null,
    automatic_tax: { ...invoice.automatic_tax, status: invoice.automatic_tax.enabled ? "complete" : null },
    ending_balance,
    effective_at: account.now(),
    hosted_invoice_url: `${account.pagesUrl}/i/${invoice.id}`,
    last_finalization_error: null,
    number: `LOCAL-${String(account.invoices.all().filter(({ number }) => number !== null).length + 1).padStart(4, "0")}`,
    status_transitions: { ...invoice.status_transitions, finalized_at: account.now() },
  });
  account.emit("invoice.finalized", final);
  return final.amount_due === 0 ? markPaid(account, final) : final;
}

/** By hand it is refused, and stays a draft (docs.stripe.com/tax/customer-locations, "How you recover"). */
export function failFinalization(account: Account, invoice: Invoice): Invoice {
  const failed = account.putInvoice({
    ...invoice,
    automatic_tax: { ...invoice.automatic_tax, status: "requires_location_inputs" },
    last_finalization_error: locationError,
  });
  account.emit("invoice.finalization_failed", failed);
  return failed;
}

/** One attempt to collect an open invoice. Without a method nothing follows it; with one it is tried again for some days. */
export function attempt(account: Account, invoice: Invoice, given?: PaymentMethod): Invoice {
  const method = given ?? methodFor(account, invoice);
  if (method && chargeable(method)) return markPaid(account, invoice);
  // By hand only the first counts, and moves no attempt to come (the SDK's Invoice.attempt_count).
  const isExtra = given !== undefined && invoice.attempt_count > 0;
  const attempt_count = isExtra ? invoice.attempt_count : invoice.attempt_count + 1;
  const days =
    method && invoice.auto_advance && invoice.status === "open"
      ? account.settings.retry_days[attempt_count - 1]
      : undefined;
  const next = days === undefined ? null : account.now() + days * daySeconds;
  const next_payment_attempt = isExtra ? invoice.next_payment_attempt : next;
  const failed = account.putInvoice({ ...invoice, attempted: true, attempt_count, next_payment_attempt });
  account.emit("invoice.payment_failed", failed);
  const { after_retries } = account.settings;
  // "Left past due", without a method too: no attempt follows, and the account's setting is for what comes after the last.
  fall(account, failed, next_payment_attempt === null && method ? after_retries : "past_due");
  return failed;
}

/** docs.stripe.com/billing/collection-method: of the invoice, else of the subscription, else the customer's. */
export function methodFor(account: Account, invoice: Invoice): PaymentMethod | undefined {
  const customer = account.customers.get(invoice.customer)?.customer;
  const id =
    invoice.default_payment_method ??
    subscriptionOf(account, invoice)?.default_payment_method ??
    customer?.invoice_settings.default_payment_method;
  const method = id ? account.paymentMethods.get(String(id)) : undefined;
  return method?.customer === invoice.customer ? method : undefined;
}

export function markPaid(account: Account, invoice: Invoice): Invoice {
  const paid = account.putInvoice({
    ...invoice,
    status: "paid",
    attempted: true,
    attempt_count: invoice.amount_due > 0 ? invoice.attempt_count + 1 : invoice.attempt_count,
    auto_advance: false,
    amount_paid: invoice.amount_due,
    amount_remaining: 0,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, paid_at: account.now() },
  });
  account.emit("invoice.paid", paid);
  account.emit("invoice.payment_succeeded", paid);
  recover(account, paid);
  return paid;
}

function fall(account: Account, invoice: Invoice, status: "past_due" | "unpaid" | "canceled"): void {
  const subscription = subscriptionOf(account, invoice);
  if (!subscription || subscription.ended_at !== null || subscription.status === status) return;
  const ended = status === "canceled" ? { ended_at: account.now(), canceled_at: account.now() } : {};
  const next: Subscription = account.putSubscription({ ...subscription, status, ...ended });
  account.emit(status === "canceled" ? "customer.subscription.deleted" : "customer.subscription.updated", next);
}

/** A subscription is active again once its latest final invoice is paid (the SDK's Subscription.status). */
function recover(account: Account, paid: Invoice): void {
  const subscription = subscriptionOf(account, paid);
  if (subscription?.status !== "past_due" && subscription?.status !== "unpaid") return;
  const latest = account.invoices
    .all()
    .filter((one) => subscriptionOf(account, one)?.id === subscription.id && one.status !== "draft")
    .toSorted((a, b) => a.created - b.created)
    .at(-1);
  if (latest?.status !== "paid") return;
  account.emit("customer.subscription.updated", account.putSubscription({ ...subscription, status: "active" }));
}
