// Usage on its way to Stripe: the meter's closing and the reporting over a table in memory and the local Stripe, with a clock to
// move, and with stores and a provider that a test may break before and after they took effect.
import { ledgerTransactions } from "../../../adapters/dynamodb/budget/ledger-transactions.ts";
import { lateCorrections } from "../../../adapters/dynamodb/metering/hour-reports.ts";
import { billingEndStore } from "../../../adapters/dynamodb/provisioning/billing-ends.ts";
import { billingTotals } from "../../../adapters/dynamodb/reporting/billing-totals.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { invoiceFrom } from "../../../adapters/stripe/conversion.ts";
import { eventTypes } from "../../../adapters/stripe/payment-event-source.ts";
import { stripeObjectReader } from "../../../adapters/stripe/payment-object-reader.ts";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { BillingTelemetry, UnbilledReason } from "../../../domain/billing/billing-telemetry.ts";
import type { Payer } from "../../../domain/billing/payer.ts";
import type { PaymentEvent } from "../../../domain/billing/payment-event.ts";
import type { PaymentObjectReader } from "../../../domain/billing/payment-object.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { reconcilePayments } from "../../../domain/billing/reconciliation.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import type { LateCorrections } from "../../../domain/metering/hour-report.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import { endBilling } from "../../../domain/provisioning/billing-end.ts";
import { type BillingTotals, invoicedSum, used } from "../../../domain/reporting/billing-total.ts";
import { UsageReporter, type UsageReporterDependencies } from "../../../domain/reporting/usage-reporter.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "../../../emulators/test/support/local-stripe.ts";
import { documentClientOf } from "../memory-dynamodb/document-client.ts";
import { aTenantOf } from "../people/tenants.ts";
import { BilledCustomer } from "./billed-customer.ts";
import { CallFaults, type Disturbance } from "./call-faults.ts";
import { closeHours, meteredUntil } from "./closed-hours.ts";
import { inProcess } from "./in-process-stripe.ts";
import { aLabel } from "./invoices.ts";
import { UsageTable } from "./usage-table.ts";

const tableName = "main";

type Facts = Parameters<BillingTelemetry["unbilled"]>[1];

/** Changes what the reporting and the end of a billing work with. */
export type Mutant = {
  payments?: (real: PaymentProvider, world: BilledUsage) => Partial<PaymentProvider>;
  totals?: (real: BillingTotals, world: BilledUsage) => Partial<BillingTotals>;
  lateCorrections?: (real: LateCorrections) => Partial<LateCorrections>;
};

export class BilledUsage extends UsageTable {
  readonly local: RunningStripe;
  readonly payments: PaymentProvider;
  readonly payers = new Map<string, Payer>();
  readonly alarms: ({ reason: UnbilledReason } & Facts)[] = [];
  /** How long the oldest unreported hour had waited at each report, in hours. */
  readonly waits: number[] = [];
  /** What the provider's meter was told. */
  readonly sent: Parameters<PaymentProvider["report"]>[0][] = [];
  /** Whether Stripe takes an event and never counts it. */
  swallows: () => boolean = () => false;
  markup = 1;
  /** Whether the owner has as much unpaid as an invoice before the month's end needs. */
  isDueEarly: () => boolean = () => false;
  /** What a mutant of the product does instead. */
  mutant: Mutant = {};
  readonly #deletedAt = new Map<string, string>();
  readonly #faults = new CallFaults();
  readonly #events: PaymentEvent[] = [];
  readonly #customer = new BilledCustomer();
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
    super();
    this.local = local;
    this.#client = documentClientOf(async (command) => {
      await this.#faults.strike("store", "before");
      const answer = this.table.execute(command);
      await this.#faults.strike("store", "after");
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
          await this.#faults.strike(name, "before");
          if (name === "report") {
            this.sent.push(given[0] as never);
            if (this.swallows()) return undefined;
          }
          const answer = await (target[name] as (...all: never[]) => Promise<unknown>)(...given);
          await this.#faults.strike(name, "after");
          return answer;
        },
    });
  }

  /** One invocation of a function; what it throws is over with it. */
  run(act: () => Promise<unknown>): Promise<void> {
    return this.#faults.run(act);
  }

  set disturb(disturb: Disturbance) {
    this.#faults.disturb = disturb;
  }

  override get now(): number {
    return this.local.clock.now();
  }

  /** A workspace whose subscription begins now, instead of one that has ended; the customer is the owner's one. */
  async subscribe(tenantId: string, slot: number): Promise<Payer> {
    const stripe = this.#stripe;
    const customer = await stripe.customer({ sub: "owner", email: "owner@acme.example" });
    this.#customer.id = customer.id;
    const insteadOf = this.payers.get(tenantId)?.subscriptionId;
    const wanted = { customerId: customer.id, tenantId, slot, label: aLabel, automaticTax: false, insteadOf };
    const { id } = await stripe.subscription(wanted);
    const payer = { customerId: customer.id, subscriptionId: id, slot, label: aLabel, isDeleted: false };
    this.payers.set(tenantId, payer);
    return payer;
  }

  /** The owner's card, as on Checkout's page. */
  async addCard(number: string): Promise<void> {
    const { id: customerId } = this.#customer;
    const [successUrl, cancelUrl] = ["https://a.example", "https://b.example"];
    const url = await this.#stripe.setupPage({ customerId, successUrl, cancelUrl });
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
    await reconcilePayments(
      this.#customer.reconciliation(this.payments, tenants, () => this.now),
      event,
      about,
    );
  }

  correct(standing: LedgerRow, cost: number): Promise<boolean> {
    const { provisional: _provisional, known: _known, ...truth } = { ...standing, cost };
    const { tenant_id, caller_id, admitted_at } = standing;
    const key = { tenantId: tenant_id, callerId: caller_id, month: monthOf(Date.parse(admitted_at)) };
    return ledgerTransactions(this.#rows()).correct(key, { standing, truth });
  }

  /** As the meter does it with a tenant whose callers have nothing in flight. */
  async close(tenantId: string): Promise<void> {
    const corrections = lateCorrections(this.#rows());
    await closeHours(this.#rows(), {
      tenantId,
      from: this.usedFrom.get(tenantId),
      lateCorrections: { ...corrections, ...this.mutant.lateCorrections?.(corrections) },
      clock: () => this.now,
    });
  }

  #rows() {
    return rowsOf(this.#client, tableName);
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
    const real = billingTotals(this.#rows());
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
    const deps = {
      payments: async () => this.#mutated(),
      ends: billingEndStore(this.#rows()),
      isMetered: meteredUntil(this.#rows(), this.usedFrom.get(tenantId)),
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

  /** What a final invoice had and a correction took away, in micro-USD: later usage is lessened by it, and of a deleted workspace it is told. */
  async overpaid(tenantId: string): Promise<number> {
    const total = await this.totals().get(tenantId);
    const amount = total ? Math.max(0, invoicedSum(total) - used(total, this.markup)) : 0;
    if (!this.#deletedAt.has(tenantId)) return amount;
    const told = this.alarms.filter(({ reason, tenant_id }) => reason === "overpaid" && tenant_id === tenantId);
    return told.at(-1)?.quantity === amount ? amount : 0;
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
