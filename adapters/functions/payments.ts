// Asks the function `payments`, which alone has the key of the payment provider's account, for what a workspace and its owner have there.

import { paymentsActions } from "../../actions/payments.ts";
import type { OwnerPayments } from "../../domain/billing/owner-payments.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { OutsideResources } from "../../domain/provisioning/outside-resources.ts";
import { billingSteps } from "../../domain/workspace/tenant.ts";
import type { Invocation } from "./invocation.ts";

type AskedPayments = OwnerPayments &
  OutsideResources & {
    /** Ends a deleted tenant's billing. False while some of its usage is still to be reported. */
    end(tenantId: string): Promise<boolean>;
    /** Reads an owner's state at the payment provider, and brings the owner's workspaces in line with it. */
    refresh(ownerSub: string): Promise<void>;
  };

/**
 * Each call throws Refusal `payments_unavailable` if there is no answer in time. A page that was opened and that nobody was told of
 * ends by itself.
 */
export function askedPayments(arn: string, invoke: Invocation): AskedPayments {
  const ask = invoke({ name: "payments", arn, actions: paymentsActions, unavailable });
  return {
    steps: billingSteps,
    setUp: async (tenantId) => void (await ask("set_up", { tenant_id: tenantId })),
    remove: async (tenantId) => (await ask("remove", { tenant_id: tenantId })).removed,
    end: async (tenantId) => (await ask("end", { tenant_id: tenantId })).ended,
    refresh: async (ownerSub) => void (await ask("refresh", { owner_sub: ownerSub })),
    state: async (tenantId) => (await ask("state", { tenant_id: tenantId })).state ?? undefined,
    async invoices(tenantId, { limit, after }) {
      const { page } = await ask("invoices", { tenant_id: tenantId, limit, after });
      return page ? { items: page.items, next: page.next } : undefined;
    },
    label: async (tenantId) => void (await ask("label", { tenant_id: tenantId })),
    setupPage: async (tenantId, { successUrl, cancelUrl }) =>
      (await ask("open_setup_page", { tenant_id: tenantId, success_url: successUrl, cancel_url: cancelUrl })).url,
    portalPage: async (tenantId, { returnUrl }) =>
      (await ask("open_portal_page", { tenant_id: tenantId, return_url: returnUrl })).url,
  };
}

function unavailable(cause: unknown): Refusal {
  const message = "The payment provider did not answer in time. Try again in a moment.";
  return new Refusal("payments_unavailable", message, { cause });
}
