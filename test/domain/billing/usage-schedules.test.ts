// Random schedules of what goes wrong between the ledger and Stripe, with either reading of what Stripe does not say: in the end its
// quantity is the ledger's cost times the markup. Mutants of the rule show that the schedules would find a mistake.
import { expect, test } from "@jest/globals";
import type { PaymentInvoice } from "../../../domain/billing/payment-provider.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import type { BilledUsage, Mutant } from "../../support/billing/billed-usage.ts";
import { played } from "../../support/billing/usage-schedule.ts";
import { isLong, sizes } from "../../support/sizes.ts";

const first = Number(process.env.ARCHWAY_BILLING_FIRST ?? 1);
/** As many of the schedules as one test plays in its time, on a slow machine too. */
const block = 50;
const blocks = Array.from({ length: Math.ceil(sizes.billings / block) }, (_, index) => first + index * block);

test.each(blocks)(
  "the quantity at Stripe equals the ledger's cost after free credit, times the markup, less what was overpaid, to the micro-USD, whatever fails in between, from schedule %d on",
  async (start) => {
    for (let seed = start; seed < Math.min(start + block, first + sizes.billings); seed++) {
      const { billed, truth, credit } = await played(seed);
      expect({ seed, billed }).toEqual({ seed, billed: truth });
      for (const { granted, reported, spent } of credit) {
        // There is more usage than the smaller grants.
        const isWhole = granted < 100 ? spent === granted : spent <= granted;
        expect({ seed, reported, isWhole }).toEqual({ seed, reported: spent, isWhole: true });
      }
    }
  },
);

const mutants: Record<string, Mutant> = {
  "what was told counts as billed, and not the invoice": {
    payments: (real, world) => ({
      invoices: async (id) => (await real.invoices(id)).map((one) => ({ ...one, quantity: toldBefore(world, one) })),
    }),
  },
  "an invoice before the month's end counts as never made": {
    payments: (real) => ({
      invoices: async (id) => (await real.invoices(id)).filter(({ subscriptionId }) => subscriptionId !== undefined),
    }),
  },
  "the end of a workspace adds nothing to its last invoice": { payments: () => ({ addUsage: async () => {} }) },
  "an invoice counts in whole cents": {
    payments: (real) => ({
      invoices: async (id) =>
        (await real.invoices(id)).map((one) => ({ ...one, quantity: Math.round(one.quantity / 1e4) * 1e4 })),
    }),
  },
  "a total is not less what invoices have billed": {
    totals: (real) => ({ get: async (id) => changed(await real.get(id), { invoiced: {} }) }),
  },
  "the meter is told the difference": {
    payments: (real, world) => ({
      report: (event) => {
        const before = world.sent.findLast(({ slot }) => slot === event.slot)?.value ?? 0;
        return real.report({ ...event, value: Math.max(0, event.value - before) });
      },
    }),
  },
  "a correction is not added": {
    lateCorrections: (real) => ({ get: async (one) => changed(await real.get(one), { difference: 0 }) }),
  },
  "each month is billed by itself": {
    totals: (real, world) => ({
      get: async (id) => {
        const total = await real.get(id);
        const month = monthOf(world.now);
        return changed(total, { costs: { [month]: total?.costs[month] ?? 0 } });
      },
    }),
  },
  "the other workspace's invoices count, too": {
    payments: (real) => ({
      invoices: async (id) => (await real.invoices(id)).map((one) => ({ ...one, tenantId: "t1" })),
    }),
  },
  "final invoices are not seen": {
    payments: (real) => ({
      invoices: async (id) => (await real.invoices(id)).filter(({ status }) => status === "draft"),
    }),
  },
  "a draft counts as final": {
    payments: (real) => ({
      invoices: async (id) => (await real.invoices(id)).map((one) => ({ ...one, status: "open" as const })),
    }),
  },
};

/** The value for the invoice's month that was sent last. */
function toldBefore({ sent }: BilledUsage, { createdAt }: PaymentInvoice): number {
  return sent.findLast(({ at }) => monthOf(at) === monthOf(createdAt - 1))?.value ?? 0;
}

function changed<T extends object>(one: T | undefined, changes: Partial<T>): T | undefined {
  return one && { ...one, ...changes };
}

test.each(Object.entries(mutants).slice(0, isLong ? undefined : 2))(
  "the schedules find the mutant %s",
  async (_, mutant) => {
    for (let seed = 1; seed <= sizes.mutantBillings; seed++) {
      const { billed, truth } = await played(seed, mutant);
      if (billed.join() !== truth.join()) return;
    }
    throw new Error(`${sizes.mutantBillings} schedules did not find it`);
  },
);
