// Usage on its way to Stripe: the meter's closing and the reporting over a table in memory and the local Stripe, with a clock to
// move, and with stores and a provider that a test may break before and after they took effect.
import { AsyncLocalStorage } from "node:async_hooks";
import { ownerAllowances } from "../../../adapters/dynamodb/budget/allowances.ts";
import { creditReader } from "../../../adapters/dynamodb/budget/credits.ts";
import { ledgerTransactions } from "../../../adapters/dynamodb/budget/ledger-transactions.ts";
import { ledgerItem, ledgerStore } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { meteringProgressStore } from "../../../adapters/dynamodb/ledger/metering-progress.ts";
import { rollupStore } from "../../../adapters/dynamodb/ledger/rollups.ts";
import { hourReportStore, lateCorrections } from "../../../adapters/dynamodb/metering/hour-reports.ts";
import { billingEndStore } from "../../../adapters/dynamodb/provisioning/billing-ends.ts";
import { billingTotals } from "../../../adapters/dynamodb/reporting/billing-totals.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { keys, records } from "../../../adapters/dynamodb/schema.ts";
import { invoiceFrom } from "../../../adapters/stripe/conversion.ts";
import { eventTypes } from "../../../adapters/stripe/payment-event-source.ts";
import { stripeObjectReader } from "../../../adapters/stripe/payment-object-reader.ts";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { BillingTelemetry, UnbilledReason } from "../../../domain/billing/billing-telemetry.ts";
import type { Customer } from "../../../domain/billing/customer.ts";
import type { Payer } from "../../../domain/billing/payer.ts";
import type { PaymentEvent } from "../../../domain/billing/payment-event.ts";
import type { PaymentObjectReader } from "../../../domain/billing/payment-object.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { type Reconciled, type ReconciliationDependencies, reconcile } from "../../../domain/billing/reconciliation.ts";
import { hourMs, monthOf } from "../../../domain/kernel/period.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { isMetered } from "../../../domain/ledger/metering-end.ts";
import { advanced, hoursDue, progressFrom } from "../../../domain/ledger/metering-progress.ts";
import { Closing } from "../../../domain/metering/closing.ts";
import type { LateCorrections } from "../../../domain/metering/hour-report.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import { endBilling } from "../../../domain/provisioning/billing-end.ts";
import { type BillingTotals, invoicedSum, used } from "../../../domain/reporting/billing-total.ts";
import { UsageReporter, type UsageReporterDependencies } from "../../../domain/reporting/usage-reporter.ts";
import { aRow } from "../accounting/memory-metering.ts";
import { documentClientOf } from "../memory-dynamodb/document-client.ts";
import { MemoryTable } from "../memory-dynamodb/memory-table.ts";
import { aTenantOf } from "../people/tenants.ts";
import { inProcess } from "./in-process-stripe.ts";
import { aLabel } from "./invoices.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "./local-stripe.ts";

const tableName = "main";

/** The function died in this call, and makes no other one. */
export class Killed extends Error {}

type Facts = Parameters<BillingTelemetry["unbilled"]>[1];

/** Called before and after the effect of each call; what it throws, the call throws. */
export type Disturbance = (call: string, when: "before" | "after") => void | Promise<void>;

/** Changes what the reporting and the end of a billing work with. */
export type Mutant = {
  payments?: (real: PaymentProvider, world: BilledUsage) => Partial<PaymentProvider>;
  totals?: (real: BillingTotals, world: BilledUsage) => Partial<BillingTotals>;
  lateCorrections?: (real: LateCorrections) => Partial<LateCorrections>;
};

export class BilledUsage {
  readonly table = new MemoryTable();
  readonly local: RunningStripe;
  readonly payments: PaymentProvider;
  readonly payers = new Map<string, Payer>();
  readonly alarms: ({ reason: UnbilledReason } & Facts)[] = [];
  /** How long the oldest unreported hour had waited at each report, in hours. */
  readonly waits: number[] = [];
  /** What the provider's meter was told. */
  readonly sent: Parameters<PaymentProvider["report"]>[0][] = [];
  disturb: Disturbance = () => {};
  /** Whether Stripe takes an event and never counts it. */
  swallows: () => boolean = () => false;
  markup = 1;
  /** Whether the owner has as much unpaid as an invoice before the month's end needs. */
  isDueEarly: () => boolean = () => false;
  /** What a mutant of the product does instead. */
  mutant: Mutant = {};
  readonly #from = new Map<string, number>();
  readonly #deletedAt = new Map<string, string>();
  readonly #run = new AsyncLocalStorage<{ isDead: boolean }>();
  readonly #events: PaymentEvent[] = [];
  #customer: Customer = { owner_sub: "owner", customer_id: "", has_payment_method: false, version: 1 };
  readonly #objects: PaymentObjectReader;
  readonly #client;
  readonly #stripe: PaymentProvider;
  #ids = 0;

  static async start(time: string): Promise<BilledUsage> {
    const local = await startStripe(time);
    for (const slot of [1, 2]) await aMeteredPrice(local.sdk, slot);
    return new BilledUsage(local);
  }

  private constructor(local: RunningStripe) {
    this.local = local;
    this.#client = documentClientOf(async (command) => {
      await this.#disturbed("store", "before");
      const answer = this.table.execute(command);
      await this.#disturbed("store", "after");
      return answer;
    });
    const account = { secretKey: "sk_test_local", httpClient: inProcess(local.stripe) };
    const stripe = stripePayments(account);
    this.#stripe = stripe;
    this.#objects = stripeObjectReader(account);
    local.stripe.account.onEvent(({ id, type, related_object }) => {
      this.#events.push({ id, kind: eventTypes[type], type, objectId: related_object?.id });
    });
    this.payments = new Proxy(stripe, {
      get:
        (target, name: keyof PaymentProvider) =>
        async (...given: never[]) => {
          await this.#disturbed(name, "before");
          if (name === "report") {
            this.sent.push(given[0] as never);
            if (this.swallows()) return undefined;
          }
          const answer = await (target[name] as (...all: never[]) => Promise<unknown>)(...given);
          await this.#disturbed(name, "after");
          return answer;
        },
    });
  }

  /** One invocation of a function; what it throws is over with it. */
  async run(act: () => Promise<unknown>): Promise<void> {
    await this.#run.run({ isDead: false }, act).catch(() => undefined);
  }

  async #disturbed(call: string, when: "before" | "after"): Promise<void> {
    const run = this.#run.getStore();
    if (run?.isDead) throw new Killed();
    try {
      await this.disturb(call, when);
    } catch (error) {
      if (run && error instanceof Killed) run.isDead = true;
      throw error;
    }
  }

  get now(): number {
    return this.local.clock.now();
  }

  /** A workspace whose subscription begins now, instead of one that has ended; the customer is the owner's one. */
  async subscribe(tenantId: string, slot: number): Promise<Payer> {
    const stripe = this.#stripe;
    const customer = await stripe.customer({ sub: "owner", email: "owner@acme.example" });
    this.#customer = { ...this.#customer, customer_id: customer.id };
    const insteadOf = this.payers.get(tenantId)?.subscriptionId;
    const wanted = { customerId: customer.id, tenantId, slot, label: aLabel, automaticTax: false, insteadOf };
    const { id } = await stripe.subscription(wanted);
    const payer = { customerId: customer.id, subscriptionId: id, slot, label: aLabel, isDeleted: false };
    this.payers.set(tenantId, payer);
    return payer;
  }

  /** The owner's card, as on Checkout's page. */
  async addCard(number: string): Promise<void> {
    const { customer_id: customerId } = this.#customer;
    const [successUrl, cancelUrl] = ["https://a.example", "https://b.example"];
    const { url } = await this.#stripe.setupPage({ customerId, successUrl, cancelUrl });
    const body = new URLSearchParams({ number, expiry: "12/34", name: "Ada", country: "DE" });
    await fetch(url, { method: "POST", body, redirect: "manual" });
  }

  /** The provider's events that were not taken yet. */
  takeEvents(): PaymentEvent[] {
    return this.#events.splice(0);
  }

  /** As the webhook does it, with rows of the workspaces that nobody else writes. */
  async webhook(event: PaymentEvent): Promise<void> {
    const about = event.kind && (await this.#objects.read(event));
    if (!about) return;
    const tenants = [...this.payers].map(([id, { subscriptionId }]) =>
      aTenantOf("owner", id, {
        stripe_subscription_id: subscriptionId,
        status: this.#deletedAt.has(id) ? "deleted" : "active",
      }),
    );
    const write = async ({ customer, hasPaymentMethod, triedPaymentMethod }: Reconciled) => {
      if (customer.version !== this.#customer.version) return "stale";
      const has_payment_method = hasPaymentMethod;
      const version = customer.version + 1;
      this.#customer = { ...customer, has_payment_method, tried_payment_method: triedPaymentMethod, version };
      return "written";
    };
    const deps: ReconciliationDependencies = {
      payments: this.payments,
      automaticTax: false,
      markup: 1,
      trialCap: 50_000_000_000,
      customers: { get: async () => this.#customer, tenantsOf: async () => [...this.payers.keys()] },
      tenants: {
        get: async (id: string) => tenants.find(({ tenant_id }) => tenant_id === id),
        many: async () => tenants,
      },
      reconciliations: { isDone: async () => false, write },
      telemetry: { unbilled: () => {} },
      log: { info: () => {}, problem: () => {} },
      clock: () => this.now,
      newId: () => "entry",
    };
    await reconcile(deps, event, about);
  }

  /** Free credit. */
  grant(tenantId: string, granted_tokens: number): void {
    this.table.put({ ...keys.credit(tenantId), granted_tokens, spent: 0, committed: 0 });
  }

  /** What the reports say of it, in tokens and nano-USD, and what is spent of it by its own row. */
  paidByCredit(tenantId: string): { tokens: number; value: number; spent: number } {
    const sumOf = (name: string) => this.reportsOf(tenantId).reduce((sum, one) => sum + Number(one[name] ?? 0), 0);
    const { spent = 0 } = this.table.get(keys.credit(tenantId)) ?? {};
    return { tokens: sumOf("credit_tokens"), value: sumOf("credit_value"), spent: Number(spent) };
  }

  /** A request of this time. */
  use(tenantId: string, cost: number, changes: Partial<LedgerRow> & { at?: number } = {}): LedgerRow {
    const { at = this.now, ...rest } = changes;
    const request_id = rest.request_id ?? `r${[...this.table.items].length}-${Math.floor(at)}`;
    const admitted_at = new Date(at).toISOString();
    const row = aRow(request_id, { tenant_id: tenantId, cost, admitted_at, ...rest });
    this.table.put(ledgerItem(row));
    this.#from.set(tenantId, Math.min(at, this.#from.get(tenantId) ?? at));
    return row;
  }

  /** As it stands in the ledger. */
  row({ tenant_id, admitted_at, request_id }: LedgerRow): LedgerRow | undefined {
    return this.table.get(keys.ledger(tenant_id, admitted_at.slice(0, 13), request_id)) as LedgerRow | undefined;
  }

  correct(standing: LedgerRow, cost: number): Promise<boolean> {
    const { provisional: _provisional, known: _known, ...truth } = { ...standing, cost };
    const { tenant_id, caller_id, admitted_at } = standing;
    const key = { tenantId: tenant_id, callerId: caller_id, month: monthOf(Date.parse(admitted_at)) };
    return ledgerTransactions(rowsOf(this.#client, tableName)).correct(key, { standing, truth });
  }

  /** As the meter does it with a tenant whose callers have nothing in flight. */
  async close(tenantId: string): Promise<void> {
    const client = this.#client;
    const corrections = lateCorrections(rowsOf(client, tableName));
    const reports = hourReportStore(rowsOf(client, tableName));
    const clock = () => this.now;
    const ledger = ledgerStore(rowsOf(client, tableName));
    const rollups = rollupStore(rowsOf(client, tableName));
    const closing = new Closing({
      ledger,
      credits: creditReader(rowsOf(this.#client, tableName)),
      allowances: ownerAllowances(rowsOf(this.#client, tableName)),
      rollups,
      reports,
      lateCorrections: { ...corrections, ...this.mutant.lateCorrections?.(corrections) },
      clock,
    });
    for await (const late of corrections.of(shardOf(tenantId))) await closing.rollUpAgain(late);
    const progress = meteringProgressStore(rowsOf(client, tableName));
    const from = this.#from.get(tenantId);
    if (from === undefined) return;
    const months = [...new Set([monthOf(Math.max(from, this.now - 31 * 24 * hourMs)), monthOf(this.now)])];
    for (const month of months) {
      const before = (await progress.of(tenantId, month)) ?? progressFrom(month, from);
      const due = hoursDue(before, month, this.now);
      const waiting: string[] = [];
      for (const hour of due) if (!(await closing.close(tenantId, hour))) waiting.push(hour);
      await progress.advance(tenantId, month, advanced(before, due, waiting));
    }
  }

  reporting(changes: Partial<UsageReporterDependencies> = {}): UsageReporter {
    return new UsageReporter({
      totals: this.totals(),
      payer: async (tenantId) => this.payers.get(tenantId),
      payments: this.#mutated(),
      isDueEarly: async () => this.isDueEarly(),
      waited: (hours) => void this.waits.push(hours),
      telemetry: { unbilled: (reason, facts) => void this.alarms.push({ reason, ...facts }) },
      markup: this.markup,
      newId: () => {
        this.#ids += 1;
        return `entry-${this.#ids}`;
      },
      clock: () => this.now,
      ...changes,
    });
  }

  totals(): BillingTotals {
    const real = billingTotals(rowsOf(this.#client, tableName));
    return { ...real, ...this.mutant.totals?.(real, this) };
  }

  #mutated(): PaymentProvider {
    const mutated = this.mutant.payments?.(this.payments, this) ?? {};
    return new Proxy(this.payments, {
      // A provider that has a `then` would be awaited.
      get: (real, name: keyof PaymentProvider | "then") =>
        name === "then" ? undefined : (mutated[name] ?? real[name]),
    });
  }

  /** Deletes the workspace: nobody uses it any more. */
  delete(tenantId: string): void {
    this.payers.set(tenantId, { ...(this.payers.get(tenantId) as Payer), isDeleted: true });
    this.#deletedAt.set(tenantId, new Date(this.now).toISOString());
  }

  /** Goes on with the end of a deleted workspace's billing. @returns whether it is over */
  async endBilling(tenantId: string): Promise<boolean> {
    const deleted_at = this.#deletedAt.get(tenantId);
    const payer = this.payers.get(tenantId);
    if (deleted_at === undefined || !payer) return false;
    const rows = rowsOf(this.#client, tableName);
    const since = async (_: string, month: string) => {
      const from = this.#from.get(tenantId);
      return from === undefined || monthOf(from) > month ? undefined : from;
    };
    const metering = { progress: meteringProgressStore(rows), firstCalls: { since } };
    const deps = {
      payments: async () => this.#mutated(),
      ends: billingEndStore(rows),
      isMetered: (id: string, endedAt: number) => isMetered(metering, id, endedAt),
      totals: this.totals(),
      telemetry: { unbilled: (reason: UnbilledReason, facts: Facts) => void this.alarms.push({ reason, ...facts }) },
      markup: this.markup,
      log: { info: () => {}, problem: () => {} },
      newId: () => `end-${tenantId}`,
      clock: () => this.now,
    };
    const { customerId: stripe_customer_id, subscriptionId: stripe_subscription_id, slot: billing_slot } = payer;
    const attributes = {
      stripe_customer_id,
      stripe_subscription_id,
      billing_slot,
      status: "deleted",
      deleted_at,
    } as const;
    return endBilling(deps, aTenantOf("owner", tenantId, attributes));
  }

  readonly shardOf = shardOf;

  reportsOf(tenantId: string) {
    const pk = `${records.report}${tenantId}#`;
    return [...this.table.items].filter((item) => String(item.pk).startsWith(pk));
  }

  /** Of the workspace, oldest first. */
  async invoices(tenantId: string) {
    const { customerId } = this.payers.get(tenantId) as Payer;
    const { data } = await this.local.sdk.invoices.list({ customer: customerId, limit: 100 });
    return data
      .map(invoiceFrom)
      .filter((one) => one.tenantId === tenantId)
      .reverse();
  }

  /** What all invoices of the workspace have billed, in micro-USD. */
  async invoiced(tenantId: string): Promise<number> {
    return (await this.invoices(tenantId)).reduce((sum, { quantity }) => sum + quantity, 0);
  }

  /** What later usage is lessened by, since a final invoice had it and a correction took it away: in micro-USD. */
  async overpaid(tenantId: string): Promise<number> {
    const total = await this.totals().get(tenantId);
    return total ? Math.max(0, invoicedSum(total) - used(total, this.markup)) : 0;
  }

  /** What the ledger has of a deleted workspace after its billing has ended, and the metric tells: in micro-USD. */
  async lost(tenantId: string): Promise<number> {
    const total = this.#deletedAt.has(tenantId) ? await this.totals().get(tenantId) : undefined;
    const missing = total ? Math.max(0, used(total, this.markup) - invoicedSum(total)) : 0;
    const told = this.alarms.filter(({ reason, tenant_id }) => reason === "ended" && tenant_id === tenantId);
    // Less than half a cent is charged to nobody.
    return missing < 5_000 || told.at(-1)?.quantity === missing ? missing : 0;
  }

  advance(milliseconds: number): void {
    this.local.clock.advance(milliseconds);
  }

  end(): Promise<void> {
    return this.local.close();
  }
}
