import { expect, test } from "@jest/globals";
import { provider } from "../../../pulumi/services/provider.ts";

const computed = (inputs: object) => provider.compute("host", { ...inputs }, "eu-central-1", "000000000000");

test("a provider that assumes a role has the account of that role as its id", () => {
  const assumeRoles = JSON.stringify([{ roleArn: "arn:aws:iam::111111111111:role/deployment" }]);
  expect(computed({ assumeRoles })).toEqual({ id: "111111111111", outputs: {} });
});

test("a provider that assumes no role works in the platform's account", () => {
  expect(computed({}).id).toBe("000000000000");
  expect(computed({ assumeRoles: "[]" }).id).toBe("000000000000");
});
