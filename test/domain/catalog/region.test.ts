import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import {
  fallbackFor,
  isRegion,
  type Region,
  regions,
  resolveRegion,
  validateRegion,
} from "../../../domain/catalog/region.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";

const region = fc.constantFrom(...regions);

/** What validateRegion throws, or undefined. */
function refusalOf(asked: string, allowedRegions: readonly Region[], profiles: Partial<Record<Region, string>>) {
  try {
    validateRegion(asked, { allowedRegions, profiles });
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("resolveRegion", () => {
  test("the region's header is preferred to the grant's default, and that to the tenant's default", () => {
    const tenantDefault = "eu-central-1";
    expect(resolveRegion({ tenantDefault })).toBe("eu-central-1");
    expect(resolveRegion({ tenantDefault, grantDefault: "eu-central-2" })).toBe("eu-central-2");
    expect(resolveRegion({ tenantDefault, grantDefault: "eu-central-2", header: "us-east-1" })).toBe("us-east-1");
  });

  test.each(["", "mars-1", "EU-CENTRAL-1", "eu-central-1, us-east-1"])(
    "the region's header %p is not replaced by a default",
    (header) => {
      expect(resolveRegion({ tenantDefault: "eu-central-1", header })).toBe(header);
    },
  );
});

describe("fallbackFor", () => {
  const profiles = { "eu-central-1": "eu.model", "eu-central-2": "eu.model", "us-east-1": "us.model" };
  const limits = { allowedRegions: regions, profiles, allowGlobal: false };

  test("the fallback is a region with the profile that serves the model there", () => {
    expect(fallbackFor("eu-central-1", "eu-central-2", limits)).toEqual({
      region: "eu-central-2",
      profileId: "eu.model",
    });
    expect(fallbackFor("eu-central-1", "us-east-1", { ...limits, allowGlobal: true })?.profileId).toBe("us.model");
  });

  test.each<[string, Region | undefined, Partial<typeof limits>]>([
    ["the grant names none", undefined, {}],
    ["it is the region itself", "eu-central-1", {}],
    ["the grant allows it no more", "eu-central-2", { allowedRegions: ["eu-central-1"] as never }],
    ["the model is not there", "eu-central-2", { profiles: { "eu-central-1": "eu.model" } as never }],
    ["it is in another geography, which the grant does not allow", "us-east-1", {}],
  ])("there is no fallback if %s", (_why, fallback, changes) => {
    expect(fallbackFor("eu-central-1", fallback, { ...limits, ...changes })).toBeUndefined();
  });
});

describe("validateRegion", () => {
  const profiles = { "eu-central-1": "eu.model", "us-east-1": "us.model" };

  test("a valid region is returned with the profile that serves the model there", () => {
    expect(validateRegion("us-east-1", { allowedRegions: regions, profiles })).toEqual({
      region: "us-east-1",
      profileId: "us.model",
    });
  });

  test.each([
    ["us-east-1", ["eu-central-1"], "The region us-east-1 is not in the grant."],
    ["eu-central-2", regions, "The model is not available in eu-central-2."],
    ["mars-1", ["eu-central-1"], 'The region "mars-1" does not exist here.'],
    ["", ["eu-central-1"], "The region asked for does not exist here."],
    ["__proto__", ["eu-central-1"], 'The region "__proto__" does not exist here.'],
  ] as const)("the region %p is refused under the grant %p", (asked, allowedRegions, problem) => {
    const refusal = refusalOf(asked, allowedRegions, profiles) as Refusal;
    expect(refusal.code).toBe("region_not_allowed");
    expect(refusal.message).toContain(problem);
  });

  test("a refused region is answered with the allowed regions: those of the grant that have the model", () => {
    expect(refusalOf("eu-central-2", regions, profiles)).toMatchObject({
      message: expect.stringMatching(/Allowed for this model and caller: eu-central-1, us-east-1\.$/),
    });
    expect(refusalOf("us-east-1", ["eu-central-2"], profiles)).toMatchObject({
      message: expect.stringMatching(/caller: none\.$/),
    });
  });

  test("a refused region is answered with the global profile's name if that is not allowed", () => {
    const isGlobalOnly = (region: Region) => region === "eu-central-2";
    expect(() => validateRegion("eu-central-2", { allowedRegions: regions, profiles, isGlobalOnly })).toThrow(
      "The model is served in eu-central-2 by a global profile only, which the grant does not allow.",
    );
  });

  test("a refused region is not repeated if it cannot be a region's name", () => {
    expect(String(refusalOf("<script>", regions, profiles))).not.toContain("script");
  });

  test("a requested region is never replaced: it is used or refused", () => {
    const asked = fc.oneof(region, fc.string());
    const available = fc.subarray([...regions]);
    fc.assert(
      fc.property(asked, available, available, (asked, allowedRegions, served) => {
        const profiles = Object.fromEntries(served.map((name) => [name, `profile-${name}`]));
        const isFine = isRegion(asked) && allowedRegions.includes(asked) && served.includes(asked);
        const refusal = refusalOf(asked, allowedRegions, profiles);
        if (isFine) {
          expect(validateRegion(asked, { allowedRegions, profiles })).toEqual({
            region: asked,
            profileId: `profile-${asked}`,
          });
        } else {
          expect(refusal).toBeInstanceOf(Refusal);
          const promised = (refusal as Refusal).message.split("caller: ")[1]?.slice(0, -1).split(", ");
          for (const name of promised ?? []) {
            if (name !== "none") expect(refusalOf(name, allowedRegions, profiles)).toBeUndefined();
          }
        }
      }),
    );
  });
});
