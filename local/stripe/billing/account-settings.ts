// The account and its tax settings, as far as `npm run stripe:setup` looks at them: complete, unless a test says otherwise.
import * as z from "zod";
import { endpoint } from "../endpoint.ts";

const none = z.strictObject({});

export const accountSettings = [
  endpoint(["GET", "/v1/account"], "accounts.retrieveCurrent", none, (_, { account }) => ({
    id: "acct_local",
    object: "account",
    charges_enabled: true,
    business_profile: account.settings.is_complete
      ? { name: "Archway", support_email: "billing@archway.example" }
      : { name: "Archway", support_email: null },
  })),
  endpoint(["GET", "/v1/tax/settings"], "tax.settings.retrieve", none, (_, { account }) => ({
    object: "tax.settings",
    status: account.settings.is_complete ? "active" : "pending",
  })),
  endpoint(
    ["GET", "/v1/tax/registrations"],
    "tax.registrations.list",
    z.strictObject({ status: z.enum(["active", "all"]).optional(), limit: z.string().optional() }),
    (_, { account }) => ({
      object: "list",
      data: account.settings.is_complete ? [{ id: "taxreg_local", object: "tax.registration" }] : [],
      has_more: false,
      url: "/v1/tax/registrations",
    }),
  ),
];
