import { expect, test } from "@jest/globals";
import type { Customer } from "../../../domain/billing/customer.ts";
import { PaymentError, type PaymentInvoice } from "../../../domain/billing/payment-provider.ts";
import {
  type Reconciled,
  type ReconciliationDependencies,
  reconcilePayments,
} from "../../../domain/billing/reconciliation.ts";
import { anInvoice } from "../../support/billing/invoices.ts";
import { nobodyKnown, terms } from "../../support/billing/trust.ts";

const customer: Customer = { owner_sub: "ada", customer_id: "cus_1", has_payment_method: false, version: 1 };
const about = { customerId: "cus_1", ownerSub: "ada", tenantId: undefined };
const event = { id: "evt_1", kind: "changed", type: "of the provider", objectId: "cus_1" } as const;

const open = anInvoice({ nextAttemptAt: 5 });

/** A provider with one method, whose calls are noted, and a store that answers in turn. */
function world(outcomes: ("written" | "stale" | "done")[] = ["written"], kept = customer) {
  const calls: string[] = [];
  const writes: Reconciled[] = [];
  let reads = 0;
  let collect: () => Promise<PaymentInvoice> = async () => ({ ...open, status: "paid", dueCents: 0 });
  const deps: ReconciliationDependencies = {
    payments: {
      customerById: async (id) => ({ id, email: undefined, defaultPaymentMethod: undefined, balanceCents: 0 }),
      paymentMethods: async () => ["pm_2", "pm_1"].map((id) => ({ id, fingerprint: undefined })),
      makeDefault: async (_, method) => void calls.push(`default ${method}`),
      invoices: async () => [open],
      charges: async () => [],
      applyTax: async () => true,
      collect: (id) => {
        calls.push(`collect ${id}`);
        return collect();
      },
    },
    customers: {
      get: async () => {
        reads += 1;
        return kept;
      },
      tenantsOf: async () => [],
    },
    tenants: { get: async () => undefined, many: async () => [] },
    reconciliations: {
      isDone: async () => false,
      write: async (reconciled) => {
        writes.push(reconciled);
        return outcomes.shift() ?? "stale";
      },
    },
    automaticTax: false,
    markup: 1,
    terms,
    recognition: nobodyKnown,
    telemetry: { unbilled: () => {} },
    log: { info: () => {}, problem: () => {} },
    clock: () => 0,
    newId: () => "id",
  };
  return {
    ...{ deps, calls, writes },
    reads: () => reads,
    declining: (error: Error) => {
      collect = () => Promise.reject(error);
    },
  };
}

test("a new default payment method is tried once on open invoices", async () => {
  const first = world();
  expect(await reconcilePayments(first.deps, event, about)).toBe("done");
  expect(first.calls).toEqual(["default pm_2", "collect in_1"]);
  expect(first.writes[0]).toMatchObject({ hasPaymentMethod: true, triedPaymentMethod: "pm_2" });
  const second = world(["written"], { ...customer, tried_payment_method: "pm_2" });
  await reconcilePayments(second.deps, event, about);
  expect(second.calls).toEqual(["default pm_2"]);
});

test("an invoice that the provider refuses to collect delays nothing; an outage does", async () => {
  const refused = world();
  refused.declining(new PaymentError("invoices.pay", { code: "invoice_not_payable" }));
  expect(await reconcilePayments(refused.deps, event, about)).toBe("done");
  const down = world();
  down.declining(new Error("no answer"));
  await expect(reconcilePayments(down.deps, event, about)).rejects.toThrow("no answer");
  expect(down.writes).toEqual([]);
});

test("a reconciliation that conflicts with another reads everything again, and gives up after some attempts", async () => {
  const met = world(["stale", "stale", "written"]);
  expect(await reconcilePayments(met.deps, event, about)).toBe("done");
  expect([met.reads(), met.writes.length]).toEqual([3, 3]);
  await expect(reconcilePayments(world([]).deps, event, about)).rejects.toThrow("being changed by others");
  expect(await reconcilePayments(world(["done"]).deps, event, about)).toBe("done");
});

test("an event of a customer that is not the owner's is ignored, without a call to the provider", async () => {
  for (const stranger of [
    { ...about, customerId: "cus_2" },
    { ...about, ownerSub: undefined },
    { ...about, ownerSub: undefined, tenantId: "t1" },
  ]) {
    const { deps, calls, writes } = world();
    expect(await reconcilePayments(deps, event, stranger)).toBe("ignored");
    expect([calls, writes]).toEqual([[], []]);
  }
});
