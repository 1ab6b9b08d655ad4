// Collection: makes drafts final, tries to collect them, repeats failed attempts and gives up.
import type { Account, KeptDebit } from "../account.ts";
import type { Invoice, PaymentMethod, Subscription } from "../objects.ts";
import { asksPerson, chargeable, disputesCharges, failsDebits } from "../test-cards.ts";
import { charge } from "./charges.ts";
import { beginDebit, hasDebitOnItsWay, isDebit } from "./debits.ts";
import { counted, subscriptionOf } from "./drafts.ts";
import { lacksLocation, withoutTax } from "./tax.ts";

const hourSeconds = 3_600;
const daySeconds = 86_400;
/** Days between the attempts, as the account sets them (docs.stripe.com/billing/revenue-recovery/smart-retries, custom schedule). */
const retryDays = [3, 5, 7];

/** Makes a draft final. An invoice below the minimum charge is paid, and its amount goes to the balance of the customer. */
export function finalize(account: Account, draft: Invoice, advances = draft.auto_advance ?? false): Invoice {
  const final = finalized(account, draft, advances);
  return final.status === "open" && advances ? attempt(account, final) : final;
}

/** Makes a draft final without an attempt to collect it. If it advances, the first attempt follows an hour later (github.com/Kiln-AI/stripe_world, phase 13). */
export function finalizeByHand(account: Account, draft: Invoice, advances: boolean): Invoice {
  const final = finalized(account, draft, advances);
  if (final.status !== "open" || !advances) return final;
  return account.putInvoice({ ...final, next_payment_attempt: account.now() + hourSeconds });
}

function finalized(account: Account, draft: Invoice, advances: boolean): Invoice {
  const present = counted(account, draft);
  const isUntaxed = lacksLocation(account, present);
  const invoice = isUntaxed ? withoutTax(account, present, subscriptionOf(account, present)) : present;
  const balance = invoice.total + invoice.starting_balance - invoice.amount_due;
  const kept = account.customers.get(invoice.customer);
  if (kept) account.customers.put(kept.id, { ...kept, customer: { ...kept.customer, balance } });
  const number = account.invoices.all().filter((one) => one.number !== null).length + 1;
  const final = account.putInvoice({
    ...invoice,
    status: "open",
    auto_advance: advances,
    automatically_finalizes_at: null,
    automatic_tax: { ...invoice.automatic_tax, status: invoice.automatic_tax.enabled ? "complete" : null },
    hosted_invoice_url: `${account.pagesUrl}/i/${invoice.id}`,
    invoice_pdf: `${account.pagesUrl}/i/${invoice.id}/pdf`,
    number: `LOCAL-${String(number).padStart(4, "0")}`,
    status_transitions: { ...invoice.status_transitions, finalized_at: account.now() },
  });
  account.emit("invoice.finalized", final);
  return final.amount_due === 0 ? markPaid(account, final) : final;
}

/** An invoice without a known location is refused when it is made final by hand, and stays a draft (docs.stripe.com/tax/customer-locations, "How you recover"). */
export function failFinalization(account: Account, invoice: Invoice): Invoice {
  const failed = account.putInvoice({
    ...invoice,
    automatic_tax: { ...invoice.automatic_tax, status: "requires_location_inputs" },
  });
  account.emit("invoice.finalization_failed", failed);
  return failed;
}

/** One attempt to collect an open invoice. Retries follow only if there is a payment method. */
export function attempt(account: Account, invoice: Invoice, given?: PaymentMethod): Invoice {
  const method = given ?? methodFor(account, invoice);
  if (method && chargeable(method)) return markPaid(account, invoice, method);
  if (method && isDebit(method)) return debited(account, invoice, method);
  return failed(account, invoice, method, given !== undefined);
}

/** Begins a debit, or leaves the one that is on its way. Nothing is attempted until the bank has answered. */
function debited(account: Account, invoice: Invoice, method: PaymentMethod): Invoice {
  if (hasDebitOnItsWay(account, invoice)) return invoice;
  beginDebit(account, invoice, method);
  const attempt_count = invoice.attempt_count + 1;
  return account.putInvoice({ ...invoice, attempted: true, attempt_count, next_payment_attempt: null });
}

/** The bank's answer to a debit. */
export function settleDebit(account: Account, { intent, ...debit }: KeptDebit): void {
  const invoice = account.invoices.get(debit.invoice);
  const method = account.paymentMethods.get(intent.payment_method);
  const hasFailed = !method || failsDebits(method);
  account.putDebit({ ...debit, intent: { ...intent, status: hasFailed ? "requires_payment_method" : "succeeded" } });
  if (invoice?.status !== "open") return;
  if (!hasFailed) markPaid(account, invoice, method, { intent: intent.id });
  // The attempt was counted when it began.
  else failed(account, { ...invoice, attempt_count: invoice.attempt_count - 1 }, method, false);
}

/** @param byHand whether somebody asked for the attempt */
function failed(account: Account, invoice: Invoice, method: PaymentMethod | undefined, byHand: boolean): Invoice {
  // Of the attempts by hand only the first is counted, and none moves the scheduled attempt (the SDK's Invoice.attempt_count).
  const isExtra = byHand && invoice.attempt_count > 0;
  const attempt_count = isExtra ? invoice.attempt_count : invoice.attempt_count + 1;
  const days = method && invoice.auto_advance ? retryDays[attempt_count - 1] : undefined;
  const next = days === undefined ? null : account.now() + days * daySeconds;
  const next_payment_attempt = isExtra ? invoice.next_payment_attempt : next;
  const unpaid = account.putInvoice({ ...invoice, attempt_count, next_payment_attempt });
  account.emit("invoice.payment_failed", unpaid);
  // Such a payment fails, and has an event of its own beside that (docs.stripe.com/billing/subscriptions/webhooks).
  if (method && asksPerson(method)) account.emit("invoice.payment_action_required", unpaid);
  // The account is set to leave the subscription past due after the last attempt.
  const subscription = subscriptionOf(account, unpaid);
  if (subscription?.ended_at === null) changeStatus(account, subscription, "past_due");
  return unpaid;
}

/** The customer's default: nothing here gives an invoice or a subscription a method of its own (docs.stripe.com/billing/collection-method). */
export function methodFor(account: Account, invoice: Invoice): PaymentMethod | undefined {
  const customer = account.customers.get(invoice.customer)?.customer;
  const method = account.paymentMethods.get(String(customer?.invoice_settings.default_payment_method));
  return method?.customer === invoice.customer ? method : undefined;
}

/**
 * @param method that paid; undefined where nothing was due, or the money came another way
 * @param how.intent the payment, if it is there already; `isOutside` if people say that it was paid outside of Stripe
 */
export function markPaid(
  account: Account,
  invoice: Invoice,
  method?: PaymentMethod,
  { intent, isOutside = false }: { intent?: string; isOutside?: boolean } = {},
): Invoice {
  const paid = account.putInvoice({
    ...invoice,
    status: "paid",
    attempt_count: invoice.amount_due > 0 ? invoice.attempt_count + 1 : invoice.attempt_count,
    auto_advance: false,
    amount_paid: invoice.amount_due,
    ...(isOutside && { amount_paid_off_stripe: invoice.amount_remaining }),
    amount_remaining: 0,
    next_payment_attempt: null,
    status_transitions: { ...invoice.status_transitions, paid_at: account.now() },
  });
  account.emit("invoice.paid", paid);
  if (method) charge(account, paid, { disputed: disputesCharges(method), intent });
  recover(account, paid);
  return paid;
}

function changeStatus(account: Account, subscription: Subscription, status: "active" | "past_due"): void {
  if (subscription.status === status) return;
  account.emit("customer.subscription.updated", account.putSubscription({ ...subscription, status }));
}

/** A subscription is active again once its latest final invoice is paid (the SDK's Subscription.status). */
function recover(account: Account, paid: Invoice): void {
  const subscription = subscriptionOf(account, paid);
  if (subscription?.status !== "past_due") return;
  const latest = account.invoices
    .all()
    .filter((one) => subscriptionOf(account, one)?.id === subscription.id && one.status !== "draft")
    .toSorted((a, b) => a.created - b.created)
    .at(-1);
  if (latest?.status === "paid") changeStatus(account, subscription, "active");
}
