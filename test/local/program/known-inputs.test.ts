import { describe, expect, test } from "@jest/globals";
import { Clock } from "../../../emulators/clock.ts";
import { Cognito } from "../../../emulators/cognito/cognito.ts";
import { readDeclaration } from "../../../emulators/dynamodb/declaration.ts";
import { Store } from "../../../emulators/store.ts";
import { descriptors } from "../../../local/program/descriptors.ts";
import { unknownInputs } from "../../../local/program/known-inputs.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { Resources } from "../../../local/program/resources.ts";
import { declaredPool } from "../../../local/program/services/cognito.ts";

const distribution = "aws:cloudfront/distribution:Distribution";
const declared = (type: string, inputs: Record<string, unknown>) => ({ type, name: "one", inputs, outputs: {} });

const { resources } = await evaluateProgram(await readStackConfig(localStackFile));

test("knows every input that the program declares", () => {
  expect([...resources].flatMap(unknownInputs)).toEqual([]);
});

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
])("%s that is not known is named", (_case, resource, message) => {
  expect(unknownInputs(resource)).toEqual([expect.stringContaining(message)]);
});

test("an undefined input is not declared", () => {
  expect(unknownInputs(declared("aws:lambda/function:Function", { layers: undefined }))).toEqual([]);
});

describe("a service that checks its inputs itself refuses one that it does not know:", () => {
  const readCognito = (resources: Resources) =>
    new Cognito({
      ...declaredPool(resources),
      store: new Store(":memory:"),
      clock: new Clock(),
      region: "eu-central-1",
      invokeTrigger: async () => ({}),
      sendMail: () => {},
    });
  const readTables = (resources: Resources) => {
    for (const { inputs, outputs } of resources.ofType("aws:dynamodb/table:Table")) {
      readDeclaration({ ...inputs, name: outputs.name });
    }
  };
  const readers: Record<string, (resources: Resources) => unknown> = {
    cognito: readCognito,
    dynamodb: readTables,
  };
  const checkedByService = [...descriptors.values()].filter(({ inputs }) => inputs === "service");

  test.each(checkedByService.map(({ type }) => type))("%s", (type) => {
    const read = readers[/^aws:(\w+)\//.exec(type)?.[1] ?? ""];
    if (!read) throw new Error(`${type} says that its service checks it, and no service here does`);
    read(resources);
    const changed = [...resources].map((one) =>
      one.type === type
        ? { ...one, inputs: { ...one.inputs, novelty: 1 }, outputs: { ...one.outputs, novelty: 1 } }
        : one,
    );
    expect(() => read(new Resources(changed))).toThrow("novelty");
  });
});
