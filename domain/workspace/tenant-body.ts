// The bodies of requests about a workspace, and the tenant that a creation's body describes.
import * as z from "zod";
import type { Region } from "../catalog/region.ts";
import { regionName } from "../catalog/region-name.ts";
import { displayName } from "../kernel/display-name.ts";
import { fields } from "../kernel/validation.ts";
import type { Author } from "./audit.ts";
import { checkSlug, maxSlugLength, type SlugProblem } from "./slug.ts";
import { slugify } from "./slugify.ts";
import { setupSteps, type Tenant, tier, usdAmount } from "./tenant.ts";

const slugProblems: Record<SlugProblem, string> = {
  empty: "must have letters or digits of which an address can be made",
  malformed: "gives no address",
  too_long: `gives an address that is longer than ${maxSlugLength} characters`,
  reserved: "gives an address that is reserved",
};

/** A display name. Its slug is the tenant's address, so it must give a usable one. */
export const tenantName = displayName.max(200, "must have at most 200 characters").superRefine((name, context) => {
  const check = checkSlug(slugify(name));
  if (!check.ok) context.addIssue({ code: "custom", message: slugProblems[check.reason] });
});

/** The body of POST /v1/tenants. */
export const tenantBody = fields({
  name: tenantName.describe("Name of the workspace, for people. Its address is made from the name"),
  default_region: regionName
    .optional()
    .describe("Region of calls that name no region. By default the platform's default region"),
}).meta({ id: "TenantBody", description: "A workspace to create" });

/** A new tenant, before any step of its setup is done. */
export function draftTenant(
  { clock, settings }: { clock: () => number; settings: { defaultRegion: Region } },
  { tenantId, sub }: Author,
  { name, default_region }: z.output<typeof tenantBody>,
): Tenant {
  return {
    tenant_id: tenantId,
    name,
    slug: slugify(name),
    owner_sub: sub,
    tier: "starter",
    status: "active",
    has_payment_method: false,
    default_region: default_region ?? settings.defaultRegion,
    created_at: new Date(clock()).toISOString(),
    setup_state: { pending: [...setupSteps] },
  };
}

/** An origin as browsers send it. A page of a person's own machine may be without TLS. */
function isOrigin(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { origin, protocol, hostname } = new URL(text);
  const isLocal = protocol === "http:" && (hostname === "localhost" || hostname === "127.0.0.1");
  return origin === text && !text.includes("*") && (protocol === "https:" || isLocal);
}

const browserOrigin = z
  .string()
  .max(300, "must have at most 300 characters")
  .refine(isOrigin, "must be an origin in lower case, such as https://app.example.com or http://localhost:3000");

/** The body of PATCH /v1/tenants/{id}. */
export const tenantPatch = fields({
  name: tenantName.optional().describe("New name of the workspace. It also changes the workspace's address"),
  default_region: regionName.optional().describe("Region of calls that name no region"),
  monthly_cap_usd: usdAmount
    .nullable()
    .optional()
    .describe("The most that all callers together may spend in a calendar month (UTC), in USD. `null` removes the cap"),
  browser_origins: z
    .array(browserOrigin)
    .max(20, "must have at most 20 origins")
    .optional()
    .describe(
      "Origins of web pages whose scripts may call models from a browser, such as `https://app.example.com`. An empty list allows none",
    ),
  tier: tier.optional().describe("Tier of the workspace. Only platform administrators may change it"),
})
  .refine((patch) => Object.keys(patch).length > 0, "must name a field to change")
  .meta({ id: "TenantPatch", description: "Changes of a workspace. A field that is left out keeps its value" });

export type TenantPatch = z.output<typeof tenantPatch>;

/** The body of POST /v1/tenants/{id}/suspend. The owner reads the reason. */
export const suspensionBody = fields({
  reason: displayName
    .min(1, "must have 1 to 500 characters")
    .max(500, "must have 1 to 500 characters")
    .describe("Why the workspace is suspended. The owner can read it"),
}).meta({ id: "SuspensionBody", description: "Why a workspace is suspended" });
