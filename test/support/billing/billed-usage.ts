// Usage on its way to Stripe: the meter's closing and the reporting over a table in memory and the local Stripe, with a clock to
// move, and with stores and a provider that a test may break before and after they took effect.
import { creditReader } from "../../../adapters/dynamodb/budget/credits.ts";
import { ledgerTransactions } from "../../../adapters/dynamodb/budget/ledger-transactions.ts";
import { ledgerItem, ledgerStore } from "../../../adapters/dynamodb/ledger/ledger.ts";
import { meteringProgressStore } from "../../../adapters/dynamodb/ledger/metering-progress.ts";
import { rollupStore } from "../../../adapters/dynamodb/ledger/rollups.ts";
import { hourReportStore, lateCorrections } from "../../../adapters/dynamodb/metering/hour-reports.ts";
import { billingTotals } from "../../../adapters/dynamodb/reporting/billing-totals.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { keys, records } from "../../../adapters/dynamodb/schema.ts";
import { invoiceFrom } from "../../../adapters/stripe/conversion.ts";
import { stripePayments } from "../../../adapters/stripe/payment-provider.ts";
import type { BillingTelemetry, UnbilledReason } from "../../../domain/billing/billing-telemetry.ts";
import type { Payer } from "../../../domain/billing/payer.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import { hourMs, monthOf } from "../../../domain/kernel/period.ts";
import type { LedgerRow } from "../../../domain/ledger/ledger.ts";
import { advanced, hoursDue, progressFrom } from "../../../domain/ledger/metering-progress.ts";
import { Closing } from "../../../domain/metering/closing.ts";
import { shardOf } from "../../../domain/metering/shard.ts";
import { invoicedSum, used } from "../../../domain/reporting/billing-total.ts";
import { UsageReporter, type UsageReporterDependencies } from "../../../domain/reporting/usage-reporter.ts";
import { aRow } from "../accounting/memory-metering.ts";
import { documentClientOf } from "../memory-dynamodb/document-client.ts";
import { MemoryTable } from "../memory-dynamodb/memory-table.ts";
import { aMeteredPrice, type RunningStripe, startStripe } from "./local-stripe.ts";

const tableName = "main";

type Facts = Parameters<BillingTelemetry["unbilled"]>[1];

/** Called before and after the effect of each call; what it throws, the call throws. */
export type Disturbance = (call: string, when: "before" | "after") => void | Promise<void>;

export class BilledUsage {
  readonly table = new MemoryTable();
  readonly local: RunningStripe;
  readonly payments: PaymentProvider;
  readonly payers = new Map<string, Payer>();
  readonly alarms: ({ reason: UnbilledReason } & Facts)[] = [];
  /** What the provider's meter was told. */
  readonly sent: Parameters<PaymentProvider["report"]>[0][] = [];
  disturb: Disturbance = () => {};
  /** Whether Stripe takes an event and never counts it. */
  swallows: () => boolean = () => false;
  markup = 1;
  readonly #from = new Map<string, number>();
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
      await this.disturb("store", "before");
      const answer = this.table.execute(command);
      await this.disturb("store", "after");
      return answer;
    });
    const stripe = stripePayments({ secretKey: "sk_test_local", address: local.url });
    this.#stripe = stripe;
    this.payments = new Proxy(stripe, {
      get:
        (target, name: keyof PaymentProvider) =>
        async (...given: never[]) => {
          await this.disturb(name, "before");
          if (name === "report") {
            this.sent.push(given[0] as never);
            if (this.swallows()) return undefined;
          }
          const answer = await (target[name] as (...all: never[]) => Promise<unknown>)(...given);
          await this.disturb(name, "after");
          return answer;
        },
    });
  }

  get now(): number {
    return this.local.clock.now();
  }

  /** A workspace whose subscription begins now; the customer is the owner's one. */
  async subscribe(tenantId: string, slot: number): Promise<Payer> {
    const stripe = this.#stripe;
    const customer = await stripe.customer({ sub: "owner", email: "owner@acme.example" });
    const wanted = { customerId: customer.id, tenantId, slot, automaticTax: false };
    const { id } = await stripe.subscription(wanted);
    const payer = { customerId: customer.id, subscriptionId: id, slot, isDeleted: false };
    this.payers.set(tenantId, payer);
    return payer;
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
    const { provisional: _provisional, ...truth } = { ...standing, cost };
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
      rollups,
      reports,
      lateCorrections: corrections,
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
      payments: this.payments,
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

  totals() {
    return billingTotals(rowsOf(this.#client, tableName));
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

  advance(milliseconds: number): void {
    this.local.clock.advance(milliseconds);
  }

  end(): Promise<void> {
    return this.local.close();
  }
}
