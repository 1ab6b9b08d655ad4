// What the webhook works with; wiring.ts brings the real ones.

import type { PaymentEventSource } from "../../domain/billing/payment-event.ts";
import type { PaymentObjectReader } from "../../domain/billing/payment-object.ts";
import type { PaymentProvider } from "../../domain/billing/payment-provider.ts";
import type { ReconciliationDependencies } from "../../domain/billing/reconciliation.ts";
import type { uncountedUsage } from "../../domain/reporting/uncounted-usage.ts";

/** Clients of the payment provider that are made from the account's secrets. */
export type OpenedAccount = { payments: PaymentProvider; events: PaymentEventSource; objects: PaymentObjectReader };

export type WebhookDependencies = Omit<ReconciliationDependencies, "payments"> & {
  /** @throws Refusal `payments_unavailable` while the secrets cannot be read, or the account is not set up */
  account: () => Promise<OpenedAccount>;
  uncounted: ReturnType<typeof uncountedUsage>;
};
