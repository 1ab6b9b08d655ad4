import { expect, test } from "@jest/globals";
import { unknownInputs } from "../../pulumi/known-inputs.ts";

const distribution = "aws:cloudfront/distribution:Distribution";
const declared = (type: string, inputs: Record<string, unknown>) => ({ type, name: "one", inputs, outputs: {} });

test.each([
  [
    "an input",
    declared("aws:lambda/function:Function", { layers: [] }),
    'Function "one": the local stack does not know the input layers',
  ],
  [
    "a nested input",
    declared(distribution, { defaultCacheBehavior: { lambdaFunctionAssociations: [] } }),
    ".defaultCacheBehavior: the local stack does not know the input lambdaFunctionAssociations",
  ],
  [
    "an input of an element",
    declared(distribution, { origins: [{ originShield: {} }] }),
    ".origins: the local stack does not know the input originShield",
  ],
  [
    "another value than the one that is built in",
    declared("aws:apigatewayv2/api:Api", { protocolType: "WEBSOCKET" }),
    "knows protocolType as HTTP only",
  ],
])("an unknown input of %s is named", (_case, resource, message) => {
  expect(unknownInputs(resource)).toEqual([expect.stringContaining(message)]);
});

test("an input that is undefined counts as not declared", () => {
  expect(unknownInputs(declared("aws:lambda/function:Function", { layers: undefined }))).toEqual([]);
});
