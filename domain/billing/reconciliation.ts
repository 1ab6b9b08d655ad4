// Reconciles an owner's workspaces with the payment provider when one of its events comes. The event only tells which object changed:
// all state is read again, so that late, repeated and disordered events lead to the same result.
import type { Log } from "../kernel/log.ts";
import { optimistically } from "../kernel/optimistic.ts";
import { together } from "../kernel/together.ts";
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

/** The changes that one event leads to, written all or none. */
export type Reconciled = {
  eventId: string;
  /** Milliseconds. */
  now: number;
  /** The customer as it was read. */
  customer: Customer;
  hasPaymentMethod: boolean;
  /** The payment method with which the open invoices were last tried. */
  triedPaymentMethod: string | undefined;
  changes: TenantChange[];
  /** Their audit entries are written with the changes. Alarms are raised after that. */
  problems: PaymentProblem[];
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
    "customerById" | "paymentMethods" | "makeDefault" | "invoices" | "collect" | "applyTax"
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

/** The actor of these changes in the audit trail. */
const actor = "stripe";

const callForPayment = ["v1.invoice.payment_failed", "v1.invoice.marked_uncollectible"];

/**
 * Processes an event. It reads everything again if others change the customer or a workspace at the same time.
 * @returns `ignored` if the object belongs to no owner of this stack
 * @throws Refusal `payments_unavailable` or `store_unavailable`, or PaymentError, after which the provider delivers the event again
 */
export async function reconcile(
  deps: ReconciliationDependencies,
  event: PaymentEvent,
  about: PaymentObject,
): Promise<"done" | "ignored"> {
  return optimistically(async () => {
    // The customer's version is read before the provider is asked: a run that asks later and writes first makes this one stale.
    const customer = await ownCustomer(deps, about);
    if (!customer) return "ignored";
    const next = await reconciled(deps, event, about, customer);
    const outcome = await deps.reconciliations.write(next);
    if (outcome === "written") for (const problem of next.problems) tell(deps, problem);
    return outcome === "stale" ? undefined : "done";
  }, outrun);
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
  event: PaymentEvent,
  about: PaymentObject,
  customer: Customer,
): Promise<Reconciled> {
  const tenants = await deps.tenants.many(await deps.customers.tenantsOf(customer.owner_sub));
  const own = tenants.filter(({ owner_sub }) => owner_sub === customer.owner_sub);
  const living = own.filter(({ status }) => status !== "deleted");
  const now = deps.clock();
  const { isGone, hasMethod, tried, invoices } = await withDefaultMethod(deps, about, customer);
  // The provider stops computing tax when the address is removed, so tax is applied again at each event.
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
  const payment = { hasPaymentMethod: hasMethod, triedPaymentMethod: tried };
  return { eventId: event.id, now, customer, ...payment, changes, problems };
}

/** Makes a new payment method the default and pays open invoices with it, since the provider does neither. */
async function withDefaultMethod(
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
  // Each new default is tried once: a decline is an event too, and would lead here again.
  const tried = await together(
    invoices.map((one) => (one.status === "open" && one.dueCents > 0 ? collected(payments, one) : one)),
  );
  return { isGone: false, hasMethod: true, tried: method, invoices: tried };
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
