import { expect, test } from "@jest/globals";
import type { WiringContext } from "../../../pulumi/descriptor.ts";
import { Resources } from "../../../pulumi/resources.ts";
import { codeInterpreter, declaredInterpreters } from "../../../pulumi/services/bedrock.ts";
import { declared } from "../../support/declared-iam.ts";

const interpreter = (inputs: object) => {
  const { outputs } = codeInterpreter.compute("skills-sandbox", { ...inputs }, "eu-central-1", "000000000000");
  return declared(codeInterpreter.type, "skills-sandbox", inputs, outputs);
};
const sandbox = interpreter({ name: "skills_sandbox", networkConfiguration: { networkMode: "SANDBOX" } });
const problems = (inputs: object) => codeInterpreter.wiring?.(interpreter(inputs), {} as WiringContext);

test("a declared interpreter has an id made from its name, and the declared network", () => {
  const [found] = declaredInterpreters(new Resources([sandbox]), "eu-central-1");
  expect(found).toMatchObject({ region: "eu-central-1", networkMode: "SANDBOX" });
  // The pattern of codeInterpreterId (API reference, CreateCodeInterpreter).
  expect(found?.id).toMatch(/^skills_sandbox-[a-zA-Z0-9]{10}$/);
  expect(sandbox.outputs.codeInterpreterArn).toBe(
    `arn:aws:bedrock-agentcore:eu-central-1:000000000000:code-interpreter-custom/${found?.id}`,
  );
});

test("an interpreter with a hyphen in its name, without a name, or with a network that is not emulated stops the start", () => {
  const networkConfiguration = { networkMode: "PUBLIC" };
  expect(problems({ name: "skills", networkConfiguration })).toEqual([]);
  expect(problems({ name: "skills-sandbox", networkConfiguration })).toHaveLength(1);
  expect(problems({ networkConfiguration })).toHaveLength(1);
  expect(problems({ name: "skills", networkConfiguration: { networkMode: "VPC" } })).toHaveLength(1);
});
