// The Billing Portal: configurations, which say what a customer may do in the portal, and sessions, which open it.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import { listOf } from "./lists.ts";
import type { PortalConfiguration, PortalSession } from "./objects.ts";
import { bool, defined, mergedMetadata, metadata, page } from "./parameters.ts";
import { invalidRequest, missing } from "./refusal.ts";

const toggle = z.strictObject({ enabled: bool });
const features = z.strictObject({
  customer_update: z
    .strictObject({
      enabled: bool,
      allowed_updates: z.array(z.enum(["address", "email", "name", "phone", "tax_id"])).optional(),
    })
    .optional(),
  invoice_history: toggle.optional(),
  payment_method_update: toggle.optional(),
  subscription_cancel: toggle.optional(),
  subscription_update: toggle.optional(),
});
const fields = { default_return_url: z.url().optional(), metadata: metadata.optional() };

export const portal = [
  endpoint(
    ["POST", "/v1/billing_portal/configurations"],
    "billingPortal.configurations.create",
    z.strictObject({ ...fields, features }),
    (given, { account }) => putConfiguration(account, changed(newConfiguration(account), given)),
  ),
  endpoint(
    ["GET", "/v1/billing_portal/configurations"],
    "billingPortal.configurations.list",
    z.strictObject({ ...page, active: bool.optional() }),
    ({ active, ...page }, { account }) => {
      const found = account.configurations.all().filter((one) => active === undefined || one.active === active);
      return listOf("/v1/billing_portal/configurations", found, page);
    },
  ),
  endpoint(
    ["POST", "/v1/billing_portal/configurations/:id"],
    "billingPortal.configurations.update",
    z.strictObject({ ...fields, features: features.optional() }),
    (given, { account, path }) => {
      const before = account.configurations.get(path.id ?? "");
      if (!before) throw missing("configuration", path.id ?? "");
      return putConfiguration(account, { ...changed(before, given), updated: account.now() });
    },
  ),
  endpoint(
    ["POST", "/v1/billing_portal/sessions"],
    "billingPortal.sessions.create",
    z.strictObject({ customer: z.string(), configuration: z.string().optional(), return_url: z.url().optional() }),
    ({ customer, configuration, return_url }, { account }) => {
      account.customer(customer, "customer", 400);
      // The default configuration is made in the dashboard, which the local stack does not emulate.
      if (!configuration) {
        throw invalidRequest(
          "No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode.",
        );
      }
      const chosen = account.configurations.get(configuration);
      if (!chosen) throw missing("configuration", configuration, "configuration", 400);
      const id = newId("bps");
      const session = {
        id,
        object: "billing_portal.session",
        configuration: chosen.id,
        created: account.now(),
        customer,
        livemode: false,
        return_url: return_url ?? chosen.default_return_url,
        url: `${account.pagesUrl}/p/session/${id}`,
      } as PortalSession;
      account.portalSessions.put(id, session);
      return session;
    },
  ),
];

function putConfiguration(account: Account, configuration: PortalConfiguration): PortalConfiguration {
  account.configurations.put(configuration.id, configuration);
  return configuration;
}

type Given = z.output<z.ZodObject<typeof fields>> & { features?: z.output<typeof features> | undefined };

function changed(before: PortalConfiguration, given: Given): PortalConfiguration {
  const names = Object.keys(before.features) as (keyof z.output<typeof features>)[];
  const merged = names.map((name) => [name, { ...before.features[name], ...defined(given.features?.[name] ?? {}) }]);
  return {
    ...before,
    default_return_url: given.default_return_url ?? before.default_return_url,
    metadata: mergedMetadata(before.metadata ?? {}, given.metadata),
    features: Object.fromEntries(merged),
  };
}

function newConfiguration(account: Account): PortalConfiguration {
  return {
    id: newId("bpc"),
    object: "billing_portal.configuration",
    active: true,
    created: account.now(),
    default_return_url: null,
    features: {
      customer_update: { allowed_updates: [], enabled: false },
      invoice_history: { enabled: false },
      payment_method_update: { enabled: false },
      subscription_cancel: { enabled: false },
      subscription_update: { enabled: false },
    },
    is_default: false,
    livemode: false,
    metadata: {},
    updated: account.now(),
  } as unknown as PortalConfiguration;
}
