import { expect, test } from "@jest/globals";
import { chooseRegion } from "../../../packages/token-helper/region.ts";

const budget = { regions: ["eu-central-1", "us-east-1"], default_region: "eu-central-1" };

test("a region is named where one is wanted, or where the platform's choice is not granted", () => {
  expect(chooseRegion(budget)).toBeUndefined();
  expect(chooseRegion(budget, "us-east-1")).toBe("us-east-1");
  expect(chooseRegion({ ...budget, default_region: "eu-west-1" })).toBe("eu-central-1");
  expect(() => chooseRegion(budget, "mars-1")).toThrow("mars-1 is not granted to you: eu-central-1, us-east-1");
});
