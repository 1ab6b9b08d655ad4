// Reconciles an owner's workspaces with the payment provider: when one of its events comes, once a day without one, and when somebody
// sees a difference. An event only tells which object changed: all state is read again, so that late, repeated, disordered and lost
// events lead to the same result.
import type { Log } from "../kernel/log.ts";
import { optimistically } from "../kernel/optimistic.ts";
import { together } from "../kernel/together.ts";
import type { Known, Recognition } from "../trust/recognition.ts";
import type { TrustTerms } from "../trust/trust.ts";
import { type AuditEntry, auditEntry } from "../workspace/audit.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import type { BillingTelemetry } from "./billing-telemetry.ts";
import type { Customer, CustomerStore } from "./customer.ts";
import { type Account, debtsOf, newReason, owedCents, withDebts } from "./debt.ts";
import { incidentsOf, newIncidents } from "./incident.ts";
import { type OwnerTrust, trusted } from "./owner-trust.ts";
import type { PaymentEvent } from "./payment-event.ts";
import { type PaymentNotice, type PaymentNotices, paymentNotices } from "./payment-notice.ts";
import type { PaymentObject } from "./payment-object.ts";
import { type PaymentProblem, problemsOf, telemetryFacts } from "./payment-problem.ts";
import { PaymentError, type PaymentInvoice, type PaymentProvider } from "./payment-provider.ts";

export type TenantChange = { before: Tenant; after: Tenant; entry: AuditEntry };

/** The changes that one reading of the provider's state leads to, written all or none. */
export type Reconciled = {
  /** Undefined if the state was read without an event. */
  eventId: string | undefined;
  /** Milliseconds. */
  now: number;
  /** The customer as it was read. */
  customer: Customer;
  hasPaymentMethod: boolean;
  /** The payment method with which the open invoices were last tried. */
  triedPaymentMethod: string | undefined;
  /** Ids of the owner's debts and of incidents that the owner was told of. */
  owes: string[];
  /** Undefined if the provider has deleted the customer, with whom the invoices are gone. */
  trust: OwnerTrust | undefined;
  seen: Record<string, string>;
  changes: TenantChange[];
  /** Problems to tell operators of. Their audit entries are written with the changes, and alarms are raised after that. */
  problems: PaymentProblem[];
  /** Told before the changes are written, so that a run that dies in between leads to the same notices again. */
  notices: PaymentNotice[];
};

export interface ReconciliationStore {
  /** Whether the event was processed. */
  isDone(eventId: string): Promise<boolean>;
  /** `stale`: the customer or a tenant has changed since it was read. `done`: another delivery of the event was processed. */
  write(reconciled: Reconciled): Promise<"written" | "stale" | "done">;
}

export type ReconciliationDependencies = {
  payments: Pick<
    PaymentProvider,
    "customerById" | "paymentMethods" | "makeDefault" | "invoices" | "charges" | "collect" | "applyTax"
  >;
  automaticTax: boolean;
  /** The factor from list price to billed price. */
  markup: number;
  terms: TrustTerms;
  recognition: Pick<Recognition, "of">;
  customers: Pick<CustomerStore, "get" | "tenantsOf">;
  tenants: Pick<TenantStore, "get" | "many">;
  reconciliations: ReconciliationStore;
  telemetry: BillingTelemetry;
  /** Undefined where the platform sends no mails. */
  notices?: PaymentNotices | undefined;
  log: Log;
  clock: () => number;
  newId: () => string;
};

/** The actor of these changes in the audit trail. */
const actor = "stripe";

/** Reads an owner's state without an event. @throws as `reconcilePayments` */
export async function reconcileOwner(deps: ReconciliationDependencies, ownerSub: string): Promise<void> {
  const customer = await deps.customers.get(ownerSub);
  if (!customer || customer.is_leaving) return;
  await reconcilePayments(deps, undefined, { customerId: customer.customer_id, ownerSub, tenantId: undefined });
}

/**
 * Processes an event. It reads everything again if others change the customer or a workspace at the same time.
 * @returns `ignored` if the object belongs to no owner of this stack
 * @throws Refusal `payments_unavailable` or `store_unavailable`, or PaymentError, after which the provider delivers the event again
 */
export async function reconcilePayments(
  deps: ReconciliationDependencies,
  event: PaymentEvent | undefined,
  about: PaymentObject,
): Promise<"done" | "ignored"> {
  return optimistically(async () => {
    // The customer's version is read before the provider is asked: a run that asks later and writes first makes this one stale.
    const customer = await ownCustomer(deps, about);
    if (!customer) return "ignored";
    const next = await reconciled(deps, event, about, customer);
    await announce(deps, next.notices);
    const outcome = await deps.reconciliations.write(next);
    if (outcome === "written") for (const problem of next.problems) tell(deps, problem);
    return outcome === "stale" ? undefined : "done";
  }, outrun);
}

/** Queues the notices. A failure is logged and does not stop the handling of payments. */
async function announce({ notices, log }: ReconciliationDependencies, due: PaymentNotice[]): Promise<void> {
  if (due.length === 0) return;
  await notices?.announce(due).catch((error) => log.problem("Nobody is told of a payment", {}, error));
}

function outrun(): never {
  throw new Error("An owner's workspaces are being changed by others");
}

/** The owner's customer in the table. An object's metadata counts only if the table names the same customer. */
async function ownCustomer(
  { customers, tenants }: ReconciliationDependencies,
  { ownerSub, tenantId, customerId }: PaymentObject,
): Promise<Customer | undefined> {
  const owner = ownerSub ?? (tenantId === undefined ? undefined : (await tenants.get(tenantId))?.owner_sub);
  const customer = owner === undefined ? undefined : await customers.get(owner);
  return customer?.customer_id === customerId ? customer : undefined;
}

async function reconciled(
  deps: ReconciliationDependencies,
  event: PaymentEvent | undefined,
  about: PaymentObject,
  customer: Customer,
): Promise<Reconciled> {
  const tenants = await deps.tenants.many(await deps.customers.tenantsOf(customer.owner_sub));
  const own = tenants.filter(({ owner_sub }) => owner_sub === customer.owner_sub);
  const living = own.filter(({ status }) => status !== "deleted");
  const now = deps.clock();
  const { isGone, hasMethod, tried, account, known } = await withDefaultMethod(deps, about, customer);
  // The provider stops computing tax when the address is removed, so tax is applied again at each event.
  const isUntaxed = deps.automaticTax && hasMethod && !(await deps.payments.applyTax(about.customerId));
  const owes = debtsOf(account, customer.owes);
  const reason = newReason(owes, customer.owes ?? [], account.charges);
  const recognized = known && (await recognizedBy(deps, customer, known));
  const read = recognized && trusted(deps, { customer, living, account, hasMethod, now, recognized });
  const newDebts = owes.filter((id) => !customer.owes?.includes(id));
  const debts = { owes: owes.length > 0, reason, now };
  const changes = living.flatMap((before, place) => {
    const after = { ...(read?.tenants[place] ?? before), has_payment_method: hasMethod };
    return changeOf(before, withDebts(after, debts), { id: deps.newId(), now });
  });
  const incidents = newIncidents(incidentsOf(account), customer.seen);
  const problems = problemsOf(
    { event, about, isGone: isGone && !customer.is_leaving, isUntaxed, incidents, living },
    { newId: deps.newId, now },
  );
  const payment = { hasPaymentMethod: hasMethod, triedPaymentMethod: tried };
  const seen = { ...customer.seen, ...Object.fromEntries(incidents.map(({ id, state }) => [id, state])) };
  const notices = paymentNotices({ event, invoice: about.invoice, invoices: account.invoices, changes, newDebts });
  return { eventId: event?.id, now, customer, ...payment, owes, trust: read?.trust, seen, changes, problems, notices };
}

/** Makes a new payment method the default and pays open invoices with it, since the provider does neither. */
async function withDefaultMethod(
  { payments }: ReconciliationDependencies,
  about: PaymentObject,
  { customer_id, tried_payment_method }: Customer,
): Promise<AtProvider> {
  const there = await payments.customerById(customer_id);
  if (!there) {
    const nothing = { invoices: [], charges: [] };
    return { isGone: true, hasMethod: false, tried: undefined, account: nothing, known: undefined };
  }
  const all = await payments.paymentMethods(customer_id);
  const methods = all.map(({ id }) => id);
  const known = { email: there.email, fingerprints: all.flatMap(({ fingerprint }) => fingerprint ?? []) };
  const method = defaultOf(methods, there.defaultPaymentMethod, about.paymentMethodId);
  if (method !== undefined && method !== there.defaultPaymentMethod) await payments.makeDefault(customer_id, method);
  const [invoices, charges] = await Promise.all([payments.invoices(customer_id), payments.charges(customer_id)]);
  const carriedCents = Math.max(0, there.balanceCents);
  if (method === undefined || method === tried_payment_method) {
    const account = { invoices, charges, carriedCents };
    return { isGone: false, hasMethod: method !== undefined, tried: method && tried_payment_method, account, known };
  }
  // Each new default is tried once: a decline is an event too, and would lead here again.
  const tried = await together(
    invoices.map((one) => (one.status === "open" && one.dueCents > 0 ? collected(payments, one) : one)),
  );
  return { isGone: false, hasMethod: true, tried: method, account: { invoices: tried, charges, carriedCents }, known };
}

type AtProvider = {
  isGone: boolean;
  hasMethod: boolean;
  tried: string | undefined;
  account: Account;
  /** Undefined for a customer who was deleted. */
  known: Pick<Known, "email" | "fingerprints"> | undefined;
};

/** Recognizes the owner. What a debt of before comes to is read from the provider again, for people may have settled it. */
function recognizedBy(
  { payments, recognition }: ReconciliationDependencies,
  { owner_sub: ownerSub, customer_id: customerId, cards }: Customer,
  known: Pick<Known, "email" | "fingerprints">,
) {
  return recognition.of({ ownerSub, customerId, cards, ...known }, async (of) => {
    try {
      return owedCents({ invoices: await payments.invoices(of), charges: await payments.charges(of) });
    } catch (error) {
      if (error instanceof PaymentError) return undefined;
      throw error;
    }
  });
}

async function collected(payments: Pick<PaymentProvider, "collect">, invoice: PaymentInvoice): Promise<PaymentInvoice> {
  try {
    return await payments.collect(invoice.id);
  } catch (error) {
    // An invoice that cannot be paid must not stop the others.
    if (error instanceof PaymentError) return invoice;
    throw error;
  }
}

/** The default payment method. @param methods newest first. A set-up whose event comes late does not replace a newer method. */
function defaultOf(methods: string[], present: string | undefined, setUp: string | undefined): string | undefined {
  const ageOf = (method: string | undefined) => {
    const place = method === undefined ? -1 : methods.indexOf(method);
    return place < 0 ? Number.POSITIVE_INFINITY : place;
  };
  const chosen = ageOf(setUp) < ageOf(present) ? setUp : present;
  return ageOf(chosen) === Number.POSITIVE_INFINITY ? methods[0] : chosen;
}

function tell({ telemetry, log }: ReconciliationDependencies, problem: PaymentProblem): void {
  const { reason, message, facts } = problem;
  if (reason === undefined) {
    log.info(message, facts);
    return;
  }
  log.problem(message, facts);
  telemetry.unbilled(reason, telemetryFacts(problem));
}

function changeOf(before: Tenant, after: Tenant, made: { id: string; now: number }): TenantChange[] {
  const isMoved = before.status !== after.status;
  const hasOtherTier = before.tier !== after.tier;
  if (!isMoved && !hasOtherTier && before.has_payment_method === after.has_payment_method) return [];
  const moved = after.status === "active" ? "tenant.resume" : "tenant.suspend";
  const action = isMoved ? moved : hasOtherTier ? "tenant.tier" : "tenant.payment_method";
  const { tenant_id } = before;
  return [{ before, after, entry: auditEntry({ tenant_id, actor, action, target: tenant_id, before, after }, made) }];
}
