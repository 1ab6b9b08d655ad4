import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { fallbackRegions, type Grant, readGrant, usualRegion } from "../../../console/parts/grant-form.ts";
import { grantBody, grantSchema, withUsableRegion } from "../../../domain/access/grant.ts";
import { fallbackFor, type Region, regions, resolveRegion } from "../../../domain/catalog/region.ts";

/** A grant with every field that a grant can have, as the API shows it. */
const ofBen: Grant = {
  tenant_id: "1b671a64-40d5-491e-99b0-da01ff1f3341",
  dev_sub: "ben",
  updated_at: "2026-11-25T12:00:00.000Z",
  updated_by: "ada",
  allowed_models: ["claude-haiku-4-5"],
  allowed_regions: ["eu-central-1", "us-east-1"],
  monthly_budget_usd: 7,
  default_region: "us-east-1",
  fallback_region: "eu-central-1",
  budget_enforcement: "spent",
  allow_global_profiles: true,
  rate_limit: { burst: 5, per_minute: 30 },
  max_in_flight: 3,
};

type Fields = { models?: readonly string[]; regions?: readonly string[]; budget?: string; fallback?: string };

function form(fields: Fields): FormData {
  const { models = ofBen.allowed_models, regions = ofBen.allowed_regions, budget = "7", fallback } = fields;
  const data = new FormData();
  for (const model of models) data.append("models", model);
  for (const region of regions) data.append("regions", region);
  data.set("monthly_budget_usd", budget);
  if (fallback === undefined) return data;
  data.set("default_region", usualRegion(regions, ofBen.default_region) ?? "");
  data.set("fallback_region", fallback);
  return data;
}

test("a copied grant has every field of the original, and no owner or author", () => {
  const { tenant_id, dev_sub, updated_at, updated_by, ...limits } = ofBen;
  expect(Object.keys(limits).sort()).toEqual(Object.keys(grantSchema.shape).sort());
  const copied = readGrant(form({ fallback: "eu-central-1" }), ofBen);
  expect(copied).toEqual(limits);
  expect(grantBody.parse(copied)).toEqual(limits);
});

test("a form without a second region, or with none chosen, leaves calls in their region", () => {
  for (const fields of [{}, { fallback: "" }]) {
    const said = readGrant(form(fields), ofBen);
    expect(said).toMatchObject({ default_region: "us-east-1" });
    expect(said).not.toHaveProperty("fallback_region");
  }
});

test("a form with a second region names the region whose calls go there", () => {
  const said = readGrant(form({ regions: ["eu-central-1", "eu-central-2"], fallback: "eu-central-2" }));
  expect(said).toMatchObject({ default_region: "eu-central-1", fallback_region: "eu-central-2" });
  expect(grantBody.safeParse(said).success).toBe(true);
});

test("fields of the grant's form replace the grant's fields", () => {
  const said = readGrant(form({ models: ["claude-opus-4-8"], budget: "8.5" }), ofBen);
  expect(said).toMatchObject({ allowed_models: ["claude-opus-4-8"], monthly_budget_usd: 8.5, max_in_flight: 3 });
});

test("choosing all models in the form replaces single models", () => {
  expect(readGrant(form({ models: ["*", "claude-opus-4-8"] })).allowed_models).toEqual(["*"]);
});

test("the form removes a default region that is no longer allowed", () => {
  const said = readGrant(form({ regions: ["eu-central-1"] }), ofBen);
  expect(said).not.toHaveProperty("default_region");
  expect(grantBody.safeParse(said).success).toBe(true);
});

test("a new grant has only the fields of the form, and leaves the rest to the API", () => {
  expect(readGrant(form({}))).toEqual({
    allowed_models: ofBen.allowed_models,
    allowed_regions: ofBen.allowed_regions,
    monthly_budget_usd: 7,
  });
});

test("a grant with fields missing in the form is refused by the API", () => {
  const refused = grantBody.safeParse(readGrant(form({ models: [], regions: [] }), ofBen));
  expect(refused.error?.issues.map(({ path }) => path.join("."))).toEqual(["allowed_models", "allowed_regions"]);
});

describe("the region of calls that name none", () => {
  const some = fc.subarray([...regions], { minLength: 1 });
  const maybe = fc.option(fc.constantFrom(...regions), { nil: undefined });

  test("the region of calls without a region is the grant's default while it is allowed, else the workspace's, else the first allowed one", () => {
    expect(usualRegion(regions, "us-east-1", "eu-central-2")).toBe("us-east-1");
    expect(usualRegion(["eu-central-1", "eu-central-2"], "us-east-1", "eu-central-2")).toBe("eu-central-2");
    expect(usualRegion(["eu-central-1"], undefined, "eu-central-2")).toBe("eu-central-1");
    expect(usualRegion([], undefined, "eu-central-2")).toBeUndefined();
  });

  test("the form offers the second regions that the API and the proxy take", () => {
    fc.assert(
      fc.property(some, fc.constantFrom(...regions), fc.boolean(), (allowed, usual, allowGlobal) => {
        const grant = { allowed_regions: allowed, default_region: usual, allow_global_profiles: allowGlobal };
        const isTaken = (fallback_region: Region) => {
          const body = { ...grant, allowed_models: ["*"], monthly_budget_usd: 1, fallback_region };
          return grantBody.safeParse(body).success;
        };
        const profiles = Object.fromEntries(regions.map((region) => [region, "any"]));
        const limits = { allowedRegions: allowed, profiles, allowGlobal };
        const offered = allowed.includes(usual) ? fallbackRegions(allowed, usual, grant) : [];
        expect(regions.filter(isTaken)).toEqual(regions.filter((region) => offered.includes(region)));
        for (const region of regions) if (isTaken(region)) expect(fallbackFor(usual, region, limits)).toBeDefined();
      }),
    );
  });

  test("the default region in the form is the one that the API writes and the proxy uses", () => {
    fc.assert(
      fc.property(some, maybe, fc.constantFrom(...regions), (allowed, own, ofWorkspace) => {
        const before = { ...ofBen, default_region: own && allowed.includes(own) ? own : undefined };
        const written = withUsableRegion({ ...before, allowed_regions: allowed }, ofWorkspace);
        const taken = resolveRegion({ tenantDefault: ofWorkspace, grantDefault: written.default_region });
        expect(usualRegion(allowed, own, ofWorkspace)).toBe(taken);
      }),
    );
  });
});
