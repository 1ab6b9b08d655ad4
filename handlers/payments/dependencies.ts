// What the function of the payments works with; wiring.ts brings the real ones.
import type { OwnerPayments } from "../../domain/billing/owner-payments.ts";
import type { Log } from "../../domain/kernel/log.ts";
import type { BillingRemovalDependencies } from "../../domain/provisioning/billing-end.ts";
import type { BillingSetupDependencies } from "../../domain/provisioning/billing-setup.ts";

export type PaymentsDependencies = BillingSetupDependencies &
  BillingRemovalDependencies & { ownerPayments: OwnerPayments; log: Log };
