import { describe, expect, test } from "@jest/globals";
import { Clock } from "../../../emulators/clock.ts";
import { Cognito } from "../../../emulators/cognito/cognito.ts";
import { readDeclaration } from "../../../emulators/dynamodb/declaration.ts";
import { descriptors } from "../../../emulators/pulumi/descriptors.ts";
import { unknownInputs } from "../../../emulators/pulumi/known-inputs.ts";
import { Resources } from "../../../emulators/pulumi/resources.ts";
import { declaredPool } from "../../../emulators/pulumi/services/cognito.ts";
import { Store } from "../../../emulators/store.ts";
import { evaluateProgram, localStackFile, readStackConfig } from "../../../local/program/program.ts";

const { resources } = await evaluateProgram(await readStackConfig(localStackFile));

test("the emulators know every input that the program declares", () => {
  expect([...resources].flatMap(unknownInputs)).toEqual([]);
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
