// The Billing Portal: what a configuration lets a customer do, and sessions that open it.
import * as z from "zod";
import type { Account } from "./account.ts";
import { endpoint } from "./endpoint.ts";
import { newId } from "./ids.ts";
import { listOf } from "./lists.ts";
import type { PortalConfiguration, PortalSession } from "./objects.ts";
import { bool, mergedMetadata, metadata, page } from "./parameters.ts";
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
const profile = z.strictObject({
  headline: z.string().max(60).optional(),
  privacy_policy_url: z.url().optional(),
  terms_of_service_url: z.url().optional(),
});
const fields = {
  business_profile: profile.optional(),
  default_return_url: z.url().optional(),
  name: z.string().optional(),
  metadata: metadata.optional(),
};

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
    z.strictObject({ ...page, active: bool.optional(), is_default: bool.optional() }),
    ({ active, is_default, ...page }, { account }) => {
      const found = account.configurations
        .all()
        .filter((one) => active === undefined || one.active === active)
        .filter((one) => is_default === undefined || one.is_default === is_default);
      return listOf("/v1/billing_portal/configurations", found, page);
    },
  ),
  endpoint(
    ["POST", "/v1/billing_portal/configurations/:id"],
    "billingPortal.configurations.update",
    z.strictObject({ ...fields, features: features.optional(), active: bool.optional() }),
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
      const chosen = configuration
        ? account.configurations.get(configuration)
        : account.configurations.all().find(({ is_default }) => is_default);
      if (configuration && !chosen) throw missing("configuration", configuration, "configuration", 400);
      if (!chosen) {
        throw invalidRequest(
          "No configuration provided and your test mode default configuration has not been created. Provide a configuration or create your default by saving your customer portal settings in test mode.",
        );
      }
      const id = newId("bps");
      const session: PortalSession = {
        id,
        object: "billing_portal.session",
        configuration: chosen.id,
        created: account.now(),
        customer,
        customer_account: null,
        flow: null,
        livemode: false,
        locale: null,
        on_behalf_of: null,
        return_url: return_url ?? chosen.default_return_url,
        url: `${account.pagesUrl}/p/session/${id}`,
      };
      account.portalSessions.put(id, session);
      return session;
    },
  ),
];

function putConfiguration(account: Account, configuration: PortalConfiguration): PortalConfiguration {
  account.configurations.put(configuration.id, configuration);
  return configuration;
}

type Given = z.output<z.ZodObject<typeof fields>> & {
  features?: z.output<typeof features> | undefined;
  active?: boolean | undefined;
};

function changed(before: PortalConfiguration, given: Given): PortalConfiguration {
  const { customer_update, invoice_history, payment_method_update, subscription_cancel, subscription_update } =
    given.features ?? {};
  const { features, business_profile } = before;
  return {
    ...before,
    active: given.active ?? before.active,
    default_return_url: given.default_return_url ?? before.default_return_url,
    name: given.name ?? before.name,
    metadata: mergedMetadata(before.metadata ?? {}, given.metadata),
    business_profile: {
      headline: given.business_profile?.headline ?? business_profile.headline,
      privacy_policy_url: given.business_profile?.privacy_policy_url ?? business_profile.privacy_policy_url,
      terms_of_service_url: given.business_profile?.terms_of_service_url ?? business_profile.terms_of_service_url,
    },
    features: {
      ...features,
      customer_update: {
        enabled: customer_update?.enabled ?? features.customer_update.enabled,
        allowed_updates: customer_update?.allowed_updates ?? features.customer_update.allowed_updates,
      },
      invoice_history: invoice_history ?? features.invoice_history,
      payment_method_update: { ...features.payment_method_update, ...payment_method_update },
      subscription_cancel: { ...features.subscription_cancel, ...subscription_cancel },
      subscription_update: { ...features.subscription_update, ...subscription_update },
    },
  };
}

function newConfiguration(account: Account): PortalConfiguration {
  return {
    id: newId("bpc"),
    object: "billing_portal.configuration",
    active: true,
    application: null,
    business_profile: { headline: null, privacy_policy_url: null, terms_of_service_url: null },
    created: account.now(),
    default_return_url: null,
    features: {
      customer_update: { allowed_updates: [], enabled: false },
      invoice_history: { enabled: false },
      payment_method_update: { enabled: false, payment_method_configuration: null },
      subscription_cancel: {
        cancellation_reason: { enabled: false, feedback_options: null, options: [] },
        enabled: false,
        mode: "at_period_end",
        proration_behavior: "none",
      },
      subscription_pause: { duration: { interval_options: [], type: "indefinite" }, enabled: false },
      subscription_update: {
        billing_cycle_anchor: null,
        default_allowed_updates: [],
        enabled: false,
        proration_behavior: "none",
        schedule_at_period_end: { conditions: [] },
        trial_update_behavior: "end_trial",
      },
    },
    // The default one is made in the dashboard.
    is_default: false,
    livemode: false,
    login_page: { enabled: false, url: null },
    metadata: {},
    name: null,
    updated: account.now(),
  };
}
