import { describe, expect, test } from "@jest/globals";
import { type Counting, countingPlace, countingProblems, countingSchema } from "../../../domain/catalog/counting.ts";

const everywhere = [
  { region: "eu-central-1", staysThere: false },
  { region: "us-east-1", staysThere: false },
] as const;
const here: Counting = {
  "eu-central-1": { endpoint: "runtime", region: "eu-central-1" },
  "us-east-1": { endpoint: "messages", region: "us-east-1" },
};

test("a catalog says for each region of a model where tokens are counted, or that they are not counted at all", () => {
  expect(countingProblems(here, everywhere)).toEqual([]);
  expect(countingProblems("none", everywhere)).toEqual([]);
  expect(countingProblems({}, everywhere)).toEqual([
    "nothing says how tokens are counted for eu-central-1",
    "nothing says how tokens are counted for us-east-1",
  ]);
  expect(countingPlace(here, "us-east-1")).toEqual({ endpoint: "messages", region: "us-east-1" });
  expect(countingPlace(here, "eu-central-2")).toBeUndefined();
  expect(countingPlace("none", "us-east-1")).toBeUndefined();
});

describe("is wrong", () => {
  test.each([
    ["eu-central-1", "us-east-1"],
    ["us-east-1", "eu-west-1"],
  ] as const)("a catalog in which %s is counted in %s is refused", (region, elsewhere) => {
    expect(countingProblems({ ...here, [region]: { endpoint: "messages", region: elsewhere } }, everywhere)).toEqual([
      `counting for ${region} in ${elsewhere}: the text would leave its geography`,
    ]);
  });

  test("a catalog is refused if counting leaves a geography that the model's calls stay in", () => {
    const counting: Counting = { "us-east-1": { endpoint: "messages", region: "us-east-2" } };
    const served = (staysThere: boolean) => [{ region: "us-east-1" as const, staysThere }];
    expect(countingProblems(counting, served(false))).toEqual([]);
    expect(countingProblems(counting, served(true))).toHaveLength(1);
  });

  test.each([
    "all",
    { kind: "none" },
    { "eu-central-1": "runtime" },
    { "eu-central-1": { endpoint: "converse", region: "eu-central-1" } },
    { "eu-west-1": { endpoint: "runtime", region: "eu-west-1" } },
  ])("the declaration of counting %j is refused", (counting) =>
    expect(countingSchema.safeParse(counting).success).toBe(false),
  );
});
