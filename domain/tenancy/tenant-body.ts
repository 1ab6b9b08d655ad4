// What an owner says of a workspace: its name, of which its address is made, and its region.
import * as z from "zod";
import { regions } from "../access/region.ts";
import { displayName } from "../display-name.ts";
import { fields } from "../validation.ts";
import { checkSlug, maxSlugLength, type SlugProblem } from "./slug.ts";
import { slugify } from "./slugify.ts";

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

/** The onboarding form: the body of POST /v1/tenants. */
export const tenantBody = fields({
  name: tenantName,
  default_region: z.enum(regions, { error: () => `must be one of ${regions.join(", ")}` }).optional(),
});
