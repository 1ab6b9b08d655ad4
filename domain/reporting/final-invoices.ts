// Final invoices: each is compared with the ledger once, when a report first sees it, and counts as billed with what it really has.
import { billedMonth } from "../billing/billed-month.ts";
import type { BillingTelemetry } from "../billing/billing-telemetry.ts";
import { isEarly } from "../billing/early-invoice.ts";
import type { PaymentInvoice } from "../billing/payment-provider.ts";
import { auditEntry, platformTrail } from "../workspace/audit.ts";
import { type BillingTotal, type BillingTotals, invoicedSum, used } from "./billing-total.ts";

export type FinalInvoiceDependencies = {
  totals: BillingTotals;
  telemetry: BillingTelemetry;
  markup: number;
  newId: () => string;
  clock: () => number;
};

/**
 * Notes the final invoices that are not noted yet. One that has another quantity than the ledger is told; the difference is in the
 * next total by itself. An invoice that people made void counts as billed: they decided that nobody pays it.
 * @param invoices of the tenant
 */
export async function noteFinal(
  deps: FinalInvoiceDependencies,
  total: BillingTotal,
  invoices: readonly PaymentInvoice[],
  { isCompared }: { isCompared: boolean },
): Promise<BillingTotal> {
  const isNew = ({ id, status }: PaymentInvoice) => status !== "draft" && total.invoiced[id] === undefined;
  let noted = total;
  for (const invoice of invoices.filter(isNew).toSorted((one, other) => one.createdAt - other.createdAt)) {
    if (isEarly(invoice)) {
      // The invoice bills what its own item says. The meter's value of the month stands until the next invoice, which takes this one off.
      noted = await deps.totals.invoiced(noted, invoice, "");
      continue;
    }
    const month = billedMonth(invoice);
    const expected = Math.max(0, used(noted, deps.markup, month) - invoicedSum(noted));
    const { id, quantity } = invoice;
    if (!isCompared || quantity === expected) {
      noted = await deps.totals.invoiced(noted, invoice, month);
      continue;
    }
    const { tenantId } = noted;
    const change = {
      tenant_id: platformTrail,
      actor: "report",
      action: "invoice.difference",
      target: tenantId,
    } as const;
    const after = { invoice_id: id, month, ledger_micro_usd: expected, invoice_micro_usd: quantity };
    const entry = auditEntry({ ...change, after }, { id: deps.newId(), now: deps.clock() });
    noted = await deps.totals.invoiced(noted, invoice, month, entry);
    deps.telemetry.unbilled("difference", { tenant_id: tenantId, invoice_id: id, quantity: expected, seen: quantity });
  }
  return noted;
}
