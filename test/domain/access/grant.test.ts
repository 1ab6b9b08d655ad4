import { describe, expect, test } from "@jest/globals";
import { accessOf, checkGrant, grantBody, isWithin, withUsableRegion } from "../../../domain/access/grant.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { regions } from "../../../domain/catalog/region.ts";
import { parseRequest } from "../../../domain/kernel/validation.ts";

const least = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 10 };
const european = { allowed_regions: ["eu-central-1", "eu-central-2"], default_region: "eu-central-1" };
const parse = (changes: object) => parseRequest(grantBody, { ...least, ...changes }, "body");

test.each<[string, object, object, boolean]>([
  ["the same", {}, {}, true],
  ["less money", { monthly_budget_usd: 9 }, {}, true],
  ["more money", { monthly_budget_usd: 11 }, {}, false],
  ["one model of all", { allowed_models: ["claude-opus-5-5"] }, {}, true],
  ["all models for one", {}, { allowed_models: ["claude-opus-5-5"] }, false],
  ["one region more", { allowed_regions: ["eu-central-1", "us-east-1"] }, {}, false],
  ["another region", { allowed_regions: ["us-east-1"] }, {}, false],
  ["a budget that counts less", { budget_enforcement: "spent" }, {}, false],
  ["a budget that counts as little", { budget_enforcement: "spent" }, { budget_enforcement: "spent" }, true],
  ["calls outside of the geography", { allow_global_profiles: true }, {}, false],
  ["a second region where there was none", { ...european, fallback_region: "eu-central-2" }, european, false],
  ["no second region where there was one", european, { ...european, fallback_region: "eu-central-2" }, true],
  ["as many calls", { max_in_flight: 3 }, { max_in_flight: 3 }, true],
  ["fewer calls", { max_in_flight: 2 }, { max_in_flight: 3 }, true],
  [
    "more calls a minute",
    { rate_limit: { burst: 1, per_minute: 9 } },
    { rate_limit: { burst: 1, per_minute: 8 } },
    false,
  ],
  ["no limit of its own, which the stack's may be above", {}, { max_in_flight: 3 }, false],
])("%s is within another grant, or not", (_, one, other, within) => {
  expect(isWithin(parse(one), parse(other))).toBe(within);
});

test("a caller without a grant has access to all models in all regions", () => {
  expect(accessOf(undefined)).toEqual({
    allowed_models: ["*"],
    allowed_regions: regions,
    allow_global_profiles: true,
  });
});

const catalog = parseCatalog(catalogData);

describe("the body of a grant", () => {
  test("the body of a grant needs models, regions and a budget; the rest has defaults", () => {
    expect(parse({})).toEqual({ ...least, budget_enforcement: "reserved", allow_global_profiles: false });
  });

  test("the body of a grant accepts every field", () => {
    const whole = {
      allowed_models: ["claude-sonnet-4-5"],
      allowed_regions: ["eu-central-1", "us-east-1"],
      monthly_budget_usd: 0.000000001,
      default_region: "us-east-1",
      fallback_region: "eu-central-1",
      budget_enforcement: "spent",
      allow_global_profiles: true,
      rate_limit: { burst: 1, per_minute: 1_260 },
      max_in_flight: 200,
    };
    expect(parse(whole)).toEqual(whole);
  });

  test.each([0, 12.5, 9_000_000, 1e-9, 0.1 + 0.2 - 0.00000000000000004])(
    "the body of a grant accepts the budget %p",
    (usd) => {
      expect(parse({ monthly_budget_usd: usd }).monthly_budget_usd).toBe(usd);
    },
  );

  const amount = "must be an amount in USD from 0 to 9000000 with at most 9 decimals";
  const regions = "eu-central-1, eu-central-2, us-east-1";
  test.each([
    [{ monthly_budget_usd: -1 }, `monthly_budget_usd: ${amount}`],
    [{ monthly_budget_usd: 0.0000000001 }, `monthly_budget_usd: ${amount}`],
    [{ monthly_budget_usd: 1.0000000001 }, `monthly_budget_usd: ${amount}`],
    [{ monthly_budget_usd: 1e12 }, `monthly_budget_usd: ${amount}`],
    [{ monthly_budget_usd: "10" }, "monthly_budget_usd: expected number, received string"],
    [{ monthly_budget_usd: undefined }, "monthly_budget_usd: is required"],
    [{ allowed_models: [] }, 'allowed_models: must name at least one model, or be ["*"]'],
    [{ allowed_models: "*" }, "allowed_models: expected array, received string"],
    [{ allowed_regions: [] }, `allowed_regions: must name at least one of ${regions}`],
    [{ allowed_regions: ["*"] }, `allowed_regions.0: must be one of ${regions}`],
    [{ allowed_models: Array(101).fill("a") }, "allowed_models: must name at most 100 models"],
    [{ allowed_models: ["a", "b", "a"] }, "allowed_models.2: is named twice"],
    [{ allowed_regions: ["us-east-1", "us-east-1"] }, "allowed_regions.1: is named twice"],
    [{ default_region: "mars" }, `default_region: must be one of ${regions}`],
    [{ default_region: "us-east-1" }, "default_region: must be one of allowed_regions: eu-central-1"],
    [{ fallback_region: "eu-central-2" }, "fallback_region: must be one of allowed_regions: eu-central-1"],
    [{ ...european, fallback_region: "eu-central-1" }, "fallback_region: must be another region than default_region"],
    [
      { allowed_regions: european.allowed_regions, fallback_region: "eu-central-2" },
      "fallback_region: needs default_region, the region whose calls go there",
    ],
    [
      { ...european, allowed_regions: ["eu-central-1", "us-east-1"], fallback_region: "us-east-1" },
      "fallback_region: is in another geography than default_region (eu-central-1), which allow_global_profiles does not",
    ],
    [{ budget_enforcement: "never" }, "budget_enforcement: must be reserved or spent"],
    [{ rate_limit: { burst: 0, per_minute: 1 } }, "rate_limit.burst: must be 1 to 10000"],
    [{ rate_limit: { burst: 1 } }, "rate_limit.per_minute: is required"],
    [{ rate_limit: { burst: 1, per_minute: 1, per_hour: 1 } }, /^rate_limit\.per_hour: unknown field, allowed: burst,/],
    [{ max_in_flight: 201 }, "max_in_flight: must be 1 to 200"],
    [{ max_in_flight: 1.5 }, "max_in_flight: expected int, received number"],
    [{ budget: 1 }, /^budget: unknown field, allowed: allowed_models, allowed_regions, monthly_budget_usd,/],
  ])("the body of a grant refuses %j", (changes, message) => {
    expect(() => parse(changes)).toThrow(message);
  });
});

test.each([
  [{ per_minute: 1_260, max_in_flight: 200 }, 64, undefined],
  [{ per_minute: 1_261, max_in_flight: 200 }, 64, "must be at most 1260 with 200 calls in flight"],
  [{ per_minute: 3_720 }, 64, undefined],
  [{ per_minute: 3_721 }, 64, "must be at most 3720 with 64 calls in flight"],
  [{ per_minute: 3_720 }, 200, "must be at most 1260 with 200 calls in flight"],
])(
  "a grant of %j on a stack with %i calls in flight cannot have a higher rate limit than a caller's record can count",
  (changes, usual, message) => {
    const { per_minute, ...rest } = changes;
    const grant = parse({ ...rest, rate_limit: { burst: 1, per_minute } });
    const check = () => checkGrant(grant, { catalog, settings: { defaultMaxInFlight: usual } }, "grant.");
    if (message === undefined) expect(check).not.toThrow();
    else expect(check).toThrow(`grant.rate_limit.per_minute: ${message}`);
  },
);

describe("the default region of a grant", () => {
  const grant = (changes: object) => withUsableRegion(parse(changes), "eu-central-1").default_region;

  test("the default region of a grant stays unset if the tenant's region is allowed, and unchanged if it is set", () => {
    expect(grant({ allowed_regions: ["us-east-1", "eu-central-1"] })).toBeUndefined();
    expect(grant({ allowed_regions: ["us-east-1", "eu-central-2"], default_region: "eu-central-2" })).toBe(
      "eu-central-2",
    );
  });

  test("the default region of a grant becomes its first region if the tenant's region is not allowed", () => {
    expect(grant({ allowed_regions: ["us-east-1", "eu-central-2"] })).toBe("us-east-1");
  });
});

describe("the models of a grant", () => {
  const check = (allowed_models: string[], field?: string) =>
    checkGrant({ ...parse({}), allowed_models }, { catalog, settings: { defaultMaxInFlight: 64 } }, field);

  test("the models of a grant may be any name of the catalog, or all", () => {
    for (const model of catalog.models) check([model.id, ...model.aliases]);
    check(["*"]);
  });

  test("the models of a grant must exist; the refusal names the place and the known models", () => {
    const [first] = catalog.models;
    expect(() => check([first?.id ?? "", "gpt"], "grant.")).toThrow(
      new RegExp(`^grant\\.allowed_models\\.1: no model "gpt"; known: .*${first?.id}.* for all$`),
    );
  });

  test("the models of a grant are either all models or a list of some", () => {
    expect(() => check(["*", "claude-sonnet-4-5"])).toThrow('allowed_models: "*" must stand alone');
  });
});
