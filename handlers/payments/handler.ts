// The function `payments`, which alone has the key of the payment provider's account. Other functions invoke it to set up, show and end
// what a workspace and its owner have there.

import { paymentsActions } from "../../actions/payments.ts";
import type { OwnerPayments } from "../../domain/billing/owner-payments.ts";
import type { Log } from "../../domain/kernel/log.ts";
import { type BillingRemovalDependencies, endBilling, removeBilling } from "../../domain/provisioning/billing-end.ts";
import { type BillingSetupDependencies, paymentEffects } from "../../domain/provisioning/billing-setup.ts";
import { requireDeleted } from "../../domain/provisioning/outside-resources.ts";
import { runPendingSteps } from "../../domain/provisioning/setup-steps.ts";
import { answerActions } from "../actions.ts";

export type PaymentsDependencies = BillingSetupDependencies &
  BillingRemovalDependencies & {
    ownerPayments: OwnerPayments;
    /** Brings an owner's workspaces in line with the payment provider (reconciliation.ts). */
    refresh: (ownerSub: string) => Promise<void>;
    log: Log;
  };

export function paymentsHandler(deps: PaymentsDependencies) {
  const { ownerPayments, tenants, log } = deps;
  const effects = paymentEffects(deps);
  return answerActions(
    paymentsActions,
    {
      async set_up({ tenant_id }) {
        await runPendingSteps({ effects, log }, await tenants.get(tenant_id));
        return {};
      },
      async end({ tenant_id }) {
        const tenant = await requireDeleted(tenants, tenant_id);
        return { ended: tenant === undefined || (await endBilling(deps, tenant)) };
      },
      remove: async ({ tenant_id }) => ({ removed: await removeBilling(deps, tenant_id) }),
      async refresh({ owner_sub }) {
        await deps.refresh(owner_sub);
        return {};
      },
      state: async ({ tenant_id }) => ({ state: (await ownerPayments.state(tenant_id)) ?? null }),
      invoices: async ({ tenant_id, limit, after }) => ({
        page: (await ownerPayments.invoices(tenant_id, { limit, after })) ?? null,
      }),
      async label({ tenant_id }) {
        await ownerPayments.label(tenant_id);
        return {};
      },
      open_setup_page: async ({ tenant_id, success_url: successUrl, cancel_url: cancelUrl }) => ({
        url: await ownerPayments.setupPage(tenant_id, { successUrl, cancelUrl }),
      }),
      open_portal_page: async ({ tenant_id, return_url: returnUrl }) => ({
        url: await ownerPayments.portalPage(tenant_id, { returnUrl }),
      }),
    },
    log,
  );
}
