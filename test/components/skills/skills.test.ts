import { expect, test } from "@jest/globals";
import { mostWaitSeconds, runLimits } from "../../../domain/runs/run-limits.ts";
import { codeInterpreter } from "../../../emulators/pulumi/services/bedrock.ts";
import { declaredProgram } from "../../support/program/pulumi-program.ts";

const program = await declaredProgram();
const policy = program.ofType("aws:iam/rolePolicy:RolePolicy").find(({ name }) => name === "runner");
type Statement = { Action: string[]; Resource: string[] };
const { Statement: statements } = JSON.parse(policy?.inputs.policy) as { Statement: Statement[] };

test("each network mode has an interpreter without a role", () => {
  const interpreters = program.ofType(codeInterpreter.type).map(({ inputs }) => inputs);
  expect(interpreters.map(({ networkConfiguration }) => networkConfiguration.networkMode).toSorted()).toEqual([
    "PUBLIC",
    "SANDBOX",
  ]);
  for (const inputs of interpreters) expect(inputs.executionRoleArn).toBeUndefined();
});

test("the runner may use sessions of the two interpreters, and nothing else of AgentCore", () => {
  const ofAgentCore = statements.filter(({ Action }) =>
    Action.some((action) => action.startsWith("bedrock-agentcore:")),
  );
  const named = ofAgentCore.flatMap(({ Resource }) => Resource);
  expect(named).toHaveLength(2);
  for (const arn of named) expect(arn).toMatch(/:code-interpreter-custom\/archway_\w+_(none|internet)-\w{10}$/);
  for (const { Action } of ofAgentCore)
    expect(Action.every((action) => action.endsWith("Session") || /Invoke|List/.test(action))).toBe(true);
});

test("the runner may not change skills, invoke functions, or send anything", () => {
  const actions = statements.flatMap(({ Action }) => Action);
  expect(
    actions.filter((action) =>
      /Delete|SendMessage|Invoke(?!CodeInterpreter)|ses:|AssumeRole|secretsmanager/.test(action),
    ),
  ).toEqual(["sqs:DeleteMessage"]);
});

test("the runner's timeout is longer than the longest script, and a run's wait shorter than the time until its message returns", () => {
  const [fn] = program.ofType("aws:lambda/function:Function").filter(({ name }) => name === "runner");
  const [queue] = program.ofType("aws:sqs/queue:Queue").filter(({ name }) => name === "runs");
  expect(fn?.inputs.timeout).toBeGreaterThan(runLimits.seconds.most + 60);
  expect(queue?.inputs.visibilityTimeoutSeconds).toBeGreaterThan(mostWaitSeconds + fn?.inputs.timeout);
});
