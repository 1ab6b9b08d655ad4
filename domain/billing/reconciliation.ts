// Brings an owner's workspaces in line with the payment provider when one of its events comes. Nothing is taken from the event but
// what it is about: all state is read anew, so that late, repeated and disordered events lead to the same end.
import type { Log } from "../kernel/log.ts";
import { type AuditEntry, auditEntry } from "../workspace/audit.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import { resumed, suspended } from "../workspace/tenant-change.ts";
import type { BillingTelemetry } from "./billing-telemetry.ts";
import type { Customer, CustomerStore } from "./customer.ts";
import type { PaymentEvent } from "./payment-event.ts";
import type { PaymentObject } from "./payment-object.ts";
import { type PaymentProblem, problemsOf, telemetryFacts } from "./payment-problem.ts";
import { PaymentError, type PaymentInvoice, type PaymentProvider } from "./payment-provider.ts";
import { concerns, isGivenUp, isOwed, unpaidReason } from "./unpaid.ts";

export type TenantChange = { before: Tenant; after: Tenant; entry: AuditEntry };

/** What one event comes to, all of it or nothing. */
export type Reconciled = {
  eventId: string;
  /** Milliseconds. */
  now: number;
  /** As it was read. */
  customer: Customer;
  has_payment_method: boolean;
  /** With which what is open was last tried to be paid. */
  tried_payment_method: string | undefined;
  changes: TenantChange[];
  /** Whose entries are written with it; told once that is done. */
  problems: PaymentProblem[];
};

export interface ReconciliationStore {
  /** Whether the event was worked off. */
  isDone(eventId: string): Promise<boolean>;
  /** `stale`: the customer or a tenant has changed since it was read. `done`: the event was worked off meanwhile. */
  write(reconciled: Reconciled): Promise<"written" | "stale" | "done">;
}

export type ReconciliationDependencies = {
  payments: Pick<
    PaymentProvider,
    "customerById" | "paymentMethods" | "makeDefault" | "invoices" | "holdDraft" | "collect" | "applyTax"
  >;
  automaticTax: boolean;
  customers: Pick<CustomerStore, "get" | "tenantsOf">;
  tenants: Pick<TenantStore, "get" | "many">;
  reconciliations: ReconciliationStore;
  telemetry: BillingTelemetry;
  log: Log;
  clock: () => number;
  newId: () => string;
};

/** Usage that settles late, and corrections, still count: 72 h are the most that Stripe gives. */
const draftMs = 72 * 3_600_000;
/** One that meets another one reads everything again. */
const attempts = 5;
/** Who changed a workspace, in its audit trail. */
const actor = "stripe";

const callForPayment = ["v1.invoice.payment_failed", "v1.invoice.marked_uncollectible"];

/**
 * @returns `ignored` if what it is about is nobody's here
 * @throws Refusal `payments_unavailable` or `store_unavailable`, PaymentError: the event is to come again
 */
export async function reconcile(
  deps: ReconciliationDependencies,
  event: PaymentEvent,
  about: PaymentObject,
): Promise<"done" | "ignored"> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    // Before the provider is asked: whoever asks later and writes first makes this one start again.
    const customer = await ownCustomer(deps, about);
    if (!customer) return "ignored";
    const next = await reconciled(deps, event, about, customer);
    const outcome = await deps.reconciliations.write(next);
    if (outcome === "written") for (const problem of next.problems) tell(deps, problem);
    if (outcome !== "stale") return "done";
  }
  throw new Error("An owner's workspaces are being changed by others");
}

/** What the provider's objects say of their owner counts only if our own row says the same. */
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
  event: PaymentEvent,
  about: PaymentObject,
  customer: Customer,
): Promise<Reconciled> {
  const tenants = await deps.tenants.many(await deps.customers.tenantsOf(customer.owner_sub));
  const own = tenants.filter(({ owner_sub }) => owner_sub === customer.owner_sub);
  const living = own.filter(({ status }) => status !== "deleted");
  const now = deps.clock();
  await holdDraft(deps, event, about, living, now);
  const { isGone, hasMethod, tried, invoices } = await payable(deps, about, customer);
  // The provider takes tax away, too, when the address is gone.
  const isUntaxed = deps.automaticTax && hasMethod && !(await deps.payments.applyTax(about.customerId));
  const failed = callForPayment.includes(event.type) ? invoices.find(({ id }) => id === about.invoice?.id) : undefined;
  const isCalled = (tenant: Tenant) => failed !== undefined && isGivenUp(failed) && concerns(failed, tenant, living);
  const changes = living.flatMap((before) => {
    const owes = invoices.some((invoice) => isOwed(invoice) && concerns(invoice, before, living));
    const after = withStanding({ ...before, has_payment_method: hasMethod }, { isCalled: isCalled(before), owes, now });
    return changeOf(before, after, { id: deps.newId(), now });
  });
  const problems = problemsOf(
    { event, about, isGone: isGone && !customer.is_leaving, isUntaxed, living },
    { newId: deps.newId, now },
  );
  const payment = { has_payment_method: hasMethod, tried_payment_method: tried };
  return { eventId: event.id, now, customer, ...payment, changes, problems };
}

/** A period's draft waits for late usage. A deleted workspace's is collected by the deletion. */
async function holdDraft(
  { payments }: ReconciliationDependencies,
  { type }: PaymentEvent,
  { invoice }: PaymentObject,
  living: readonly Tenant[],
  now: number,
): Promise<void> {
  if (type !== "v1.invoice.created" || invoice?.status !== "draft") return;
  const isLiving = living.some((tenant) => tenant.stripe_subscription_id === invoice.subscriptionId);
  const until = invoice.createdAt + draftMs;
  if (!isLiving || until <= now || invoice.finalizesAt === until) return;
  await payments.holdDraft(invoice.id, until);
}

/** The provider makes nothing the default, and pays nothing that is open, when a method comes. */
async function payable(
  { payments }: ReconciliationDependencies,
  about: PaymentObject,
  { customer_id, tried_payment_method }: Customer,
): Promise<{ isGone: boolean; hasMethod: boolean; tried: string | undefined; invoices: PaymentInvoice[] }> {
  const there = await payments.customerById(customer_id);
  if (!there) return { isGone: true, hasMethod: false, tried: undefined, invoices: [] };
  const methods = await payments.paymentMethods(customer_id);
  const method = defaultOf(methods, there.defaultPaymentMethod, about.paymentMethodId);
  if (method !== undefined && method !== there.defaultPaymentMethod) await payments.makeDefault(customer_id, method);
  const invoices = await payments.invoices(customer_id);
  if (method === undefined || method === tried_payment_method) {
    return { isGone: false, hasMethod: method !== undefined, tried: method && tried_payment_method, invoices };
  }
  // Each new default is tried once: a decline makes an event too, and would lead here again.
  const tried = await Promise.all(
    invoices.map((one) => (one.status === "open" && one.dueCents > 0 ? collected(payments, one) : one)),
  );
  return { isGone: false, hasMethod: true, tried: method, invoices: tried };
}

async function collected(payments: Pick<PaymentProvider, "collect">, invoice: PaymentInvoice): Promise<PaymentInvoice> {
  try {
    return await payments.collect(invoice.id);
  } catch (error) {
    // One that cannot be paid holds up neither the others nor the method.
    if (error instanceof PaymentError) return invoice;
    throw error;
  }
}

/** @param methods newest first. An older set-up, told late, does not take the place of a newer one. */
function defaultOf(methods: string[], present: string | undefined, setUp: string | undefined): string | undefined {
  const ageOf = (method: string | undefined) => {
    const place = method === undefined ? -1 : methods.indexOf(method);
    return place < 0 ? Number.POSITIVE_INFINITY : place;
  };
  const chosen = ageOf(setUp) < ageOf(present) ? setUp : present;
  return ageOf(chosen) === Number.POSITIVE_INFINITY ? methods[0] : chosen;
}

function tell({ telemetry, log }: ReconciliationDependencies, problem: PaymentProblem): void {
  log.problem(problem.message, problem.facts);
  telemetry.unbilled(problem.reason, telemetryFacts(problem));
}

function withStanding(
  tenant: Tenant,
  { isCalled, owes, now }: { isCalled: boolean; owes: boolean; now: number },
): Tenant {
  if (tenant.status === "active" && isCalled) return suspended(tenant, unpaidReason, now);
  const isSuspended = tenant.status === "suspended" && tenant.suspended_reason === unpaidReason;
  return isSuspended && !owes ? resumed(tenant) : tenant;
}

function changeOf(before: Tenant, after: Tenant, made: { id: string; now: number }): TenantChange[] {
  const isMoved = before.status !== after.status;
  if (!isMoved && before.has_payment_method === after.has_payment_method) return [];
  const action = !isMoved ? "tenant.payment_method" : after.status === "active" ? "tenant.resume" : "tenant.suspend";
  const { tenant_id } = before;
  return [{ before, after, entry: auditEntry({ tenant_id, actor, action, target: tenant_id, before, after }, made) }];
}
