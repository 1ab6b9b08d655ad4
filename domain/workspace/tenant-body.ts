// What an owner says of a workspace: its name, of which its address is made, and its region.
import * as z from "zod";
import { regions } from "../catalog/region.ts";
import { displayName } from "../kernel/display-name.ts";
import { fields } from "../kernel/validation.ts";
import { checkSlug, maxSlugLength, type SlugProblem } from "./slug.ts";
import { slugify } from "./slugify.ts";
import { tiers, usdAmount } from "./tenant.ts";

const slugProblems: Record<SlugProblem, string> = {
  empty: "must have letters or digits of which an address can be made",
  malformed: "gives no address",
  too_long: `gives an address that is longer than ${maxSlugLength} characters`,
  reserved: "gives an address that is reserved",
};

/** A display name. Its slug is the tenant's address, so it must give a usable one. */
const tenantName = displayName.max(200, "must have at most 200 characters").superRefine((name, context) => {
  const check = checkSlug(slugify(name));
  if (!check.ok) context.addIssue({ code: "custom", message: slugProblems[check.reason] });
});

const region = z.enum(regions, { error: () => `must be one of ${regions.join(", ")}` });

/** The onboarding form: the body of POST /v1/tenants. */
export const tenantBody = fields({ name: tenantName, default_region: region.optional() });

/** What may be changed later: the body of PATCH /v1/tenants/{id}. */
export const tenantPatch = fields({
  name: tenantName.optional(),
  default_region: region.optional(),
  /** `null` takes the cap away. */
  monthly_cap_usd: usdAmount.nullable().optional(),
  /** For the platform's administrators. */
  tier: z.enum(tiers, { error: () => `must be one of ${tiers.join(", ")}` }).optional(),
}).refine((patch) => Object.keys(patch).length > 0, "must name a field to change");

export type TenantPatch = z.output<typeof tenantPatch>;

/** Why a tenant is suspended, as its owner reads it: the body of POST /v1/tenants/{id}/suspend. */
export const suspensionBody = fields({
  reason: displayName.min(1, "must have 1 to 500 characters").max(500, "must have 1 to 500 characters"),
});
