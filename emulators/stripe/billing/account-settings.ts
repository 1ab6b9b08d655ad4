// The account and its tax settings, as far as a program looks at them before it takes payments: complete, unless a test says otherwise.
import { endpoint, listing, nothing } from "../endpoint.ts";

export const accountSettings = [
  endpoint(["GET", "/v1/account"], "accounts.retrieveCurrent", nothing, (_, { account }) => ({
    id: "acct_local",
    object: "account",
    charges_enabled: true,
    business_profile: account.settings.is_complete
      ? { name: "Local", support_email: "support@local.example" }
      : { name: "Local", support_email: null },
  })),
  endpoint(["GET", "/v1/tax/settings"], "tax.settings.retrieve", nothing, (_, { account }) => ({
    object: "tax.settings",
    status: account.settings.is_complete ? "active" : "pending",
  })),
  listing("/v1/tax/registrations", "tax.registrations", ["status"], ({ settings }) =>
    settings.is_complete ? [{ id: "taxreg_local", object: "tax.registration", status: "active" }] : [],
  ),
];
