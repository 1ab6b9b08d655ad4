// An owner as the payment provider's customer, in one row that reconciliations write and nobody else.
import type { Customer } from "../../../domain/billing/customer.ts";
import type { PaymentProvider } from "../../../domain/billing/payment-provider.ts";
import type { Reconciled, ReconciliationDependencies } from "../../../domain/billing/reconciliation.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { nobodyKnown, terms } from "./trust.ts";

export class BilledCustomer {
  #row: Customer = { owner_sub: "owner", customer_id: "", has_payment_method: false, version: 1 };

  get id(): string {
    return this.#row.customer_id;
  }

  set id(customer_id: string) {
    this.#row = { ...this.#row, customer_id };
  }

  /** What a reconciliation works with, over the owner's workspaces as they stand. */
  reconciliation(payments: PaymentProvider, tenants: Tenant[], clock: () => number): ReconciliationDependencies {
    return {
      payments,
      automaticTax: false,
      markup: 1,
      terms,
      recognition: nobodyKnown,
      customers: { get: async () => this.#row, tenantsOf: async () => tenants.map(({ tenant_id }) => tenant_id) },
      tenants: {
        get: async (id: string) => tenants.find(({ tenant_id }) => tenant_id === id),
        many: async () => tenants,
      },
      reconciliations: { isDone: async () => false, write: this.#write },
      telemetry: { unbilled: () => {} },
      log: { info: () => {}, problem: () => {} },
      clock,
      newId: () => "entry",
    };
  }

  readonly #write: ReconciliationDependencies["reconciliations"]["write"] = async (reconciled: Reconciled) => {
    const { customer, hasPaymentMethod, triedPaymentMethod } = reconciled;
    if (customer.version !== this.#row.version) return "stale";
    const has_payment_method = hasPaymentMethod;
    const version = customer.version + 1;
    this.#row = { ...customer, has_payment_method, tried_payment_method: triedPaymentMethod, version };
    return "written";
  };
}
