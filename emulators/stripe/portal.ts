// The Billing Portal: configurations, which say what a customer may do in the portal, and sessions, which open it.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint, listing } from "./endpoint.ts";
import { newId, type PortalConfiguration, type PortalSession } from "./objects.ts";
import { bool, metadata } from "./parameters.ts";
import { invalidRequest, known } from "./refusal.ts";

const updates = z.array(z.enum(["address", "email", "name", "phone", "tax_id"]));
const toggle = z.strictObject({ enabled: bool }).default({ enabled: false });
const features = z.strictObject({
  customer_update: z
    .strictObject({ enabled: bool, allowed_updates: updates.default([]) })
    .default({ enabled: false, allowed_updates: [] }),
  ...{ invoice_history: toggle, payment_method_update: toggle, subscription_cancel: toggle },
  subscription_update: toggle,
});

export const portal = [
  endpoint(
    ["POST", "/v1/billing_portal/configurations"],
    "billingPortal.configurations.create",
    z.strictObject({ metadata: metadata.default({}), features }),
    (given, { account }) => {
      const made = { id: newId("bpc"), object: "billing_portal.configuration", active: true };
      return kept(account, { ...made, ...given } as PortalConfiguration);
    },
  ),
  listing("/v1/billing_portal/configurations", "billingPortal.configurations", ["active"], ({ configurations }) =>
    configurations.all(),
  ),
  endpoint(
    ["POST", "/v1/billing_portal/configurations/:id"],
    "billingPortal.configurations.update",
    z.strictObject({ features: features.partial() }),
    ({ features }, { account, path: { id = "" } }) => {
      const before = known(account.configurations.get(id), "configuration", id);
      return kept(account, { ...before, features: { ...before.features, ...features } } as PortalConfiguration);
    },
  ),
  endpoint(
    ["POST", "/v1/billing_portal/sessions"],
    "billingPortal.sessions.create",
    z.strictObject({ customer: z.string(), configuration: z.string().optional(), return_url: z.url() }),
    ({ customer, configuration, return_url }, { account }) => {
      account.customer(customer, "customer", 400);
      // The default configuration is made in the dashboard, which the local stack does not emulate.
      if (!configuration) {
        throw invalidRequest(
          "No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode.",
        );
      }
      const chosen = known(
        account.configurations.get(configuration),
        "configuration",
        configuration,
        "configuration",
        400,
      );
      const id = newId("bps");
      const session = {
        ...{ id, object: "billing_portal.session", configuration: chosen.id, created: account.now(), customer },
        return_url,
        url: `${account.pagesUrl}/p/session/${id}`,
      } as PortalSession;
      account.portalSessions.put(id, session);
      return session;
    },
  ),
];

function kept(account: Account, configuration: PortalConfiguration): PortalConfiguration {
  account.configurations.put(configuration.id, configuration);
  return configuration;
}
