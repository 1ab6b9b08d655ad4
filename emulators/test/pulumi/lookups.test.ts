import { expect, test } from "@jest/globals";
import { lookups } from "../../pulumi/lookups.ts";

const region = "eu-central-1";

test("look-ups return the account and its region", () => {
  const asked = (token: string, input = {}) => lookups[token]?.(input, region);
  expect(asked("aws:index/getCallerIdentity:getCallerIdentity")).toMatchObject({ accountId: "000000000000" });
  expect(asked("aws:index/getRegion:getRegion")).toMatchObject({ region });
});
