import { describe, expect, test } from "@jest/globals";
import { Iam } from "../../iam/iam.ts";
import { type DeclaredResource, Resources } from "../../pulumi/resources.ts";
import { checkWiring } from "../../pulumi/wiring.ts";
import { allow, aRole, declared, type PolicyStatement, roleArn } from "../support/declared-iam.ts";

const arnOf = (service: string, resource: string) => `arn:aws:${service}:eu-central-1:000000000000:${resource}`;
const functionArn = arnOf("lambda", "function:control-1");
const logGroupArn = arnOf("logs", "log-group:control-logs");
const poolArn = arnOf("cognito-idp", "userpool/pool");
const executionArn = arnOf("execute-api", "api1");
const ruleArn = arnOf("events", "rule/meter-1");

const writesLogs = allow(["logs:CreateLogStream", "logs:PutLogEvents"], `${logGroupArn}:log-stream:*`);
const role = (statements: PolicyStatement[] = [writesLogs], trust?: PolicyStatement[]) =>
  aRole("control", statements, trust && { trust });
const group = declared("aws:cloudwatch/logGroup:LogGroup", "control", {}, { name: "control-logs", arn: logGroupArn });
const fn = declared(
  "aws:lambda/function:Function",
  "control",
  { role: roleArn("control"), loggingConfig: { logGroup: "control-logs" } },
  { name: "control-1", arn: functionArn },
);
const aPermission = (inputs: object) =>
  declared("aws:lambda/permission:Permission", "permission", {
    action: "lambda:InvokeFunction",
    function: "control-1",
    ...inputs,
  });

const pool = declared(
  "aws:cognito/userPool:UserPool",
  "pool",
  { lambdaConfig: { postConfirmation: functionArn, preTokenGenerationConfig: { lambdaArn: functionArn } } },
  { arn: poolArn },
);
const api = declared("aws:apigatewayv2/api:Api", "api", {}, { id: "api1", executionArn });
const integration = declared("aws:apigatewayv2/integration:Integration", "control", {
  apiId: "api1",
  integrationUri: functionArn,
});
const rule = declared("aws:cloudwatch/eventRule:EventRule", "meter", {}, { name: "meter-1", arn: ruleArn });
const target = declared("aws:cloudwatch/eventTarget:EventTarget", "meter", { rule: "meter-1", arn: functionArn });
const url = declared("aws:lambda/functionUrl:FunctionUrl", "proxy", { functionName: "control-1" });

const fromCognito = { principal: "cognito-idp.amazonaws.com", sourceArn: poolArn };
const fromApi = { principal: "apigateway.amazonaws.com", sourceArn: `${executionArn}/*` };
const fromEvents = { principal: "events.amazonaws.com", sourceArn: ruleArn };
const byUrl = { action: "lambda:InvokeFunctionUrl", principal: "*", functionUrlAuthType: "NONE" };
const viaUrl = { principal: "*", invokedViaFunctionUrl: true };

const itself = [group, fn];

async function problemsOf(...declarations: (DeclaredResource | DeclaredResource[])[]): Promise<string[]> {
  const resources = new Resources(declarations.flat());
  const message = await checkWiring(resources, new Iam(resources)).then(
    () => "",
    (error: Error) => error.message,
  );
  const [title, ...problems] = message.split("\n");
  expect(title).toBe(problems.length > 0 ? "The program's wiring is incomplete:" : "");
  return problems.map((line) => line.trim());
}

test("a program that grants every right that its wiring needs starts", async () => {
  const permissions = [fromCognito, fromApi, fromEvents, byUrl, viaUrl].map(aPermission);
  expect(await problemsOf(role(), itself, pool, api, integration, rule, target, url, permissions)).toEqual([]);
});

test("all missing permissions are reported at once", async () => {
  expect(await problemsOf(role([]), itself, pool, api, integration, rule, target, url)).toEqual([
    "function control: its role lacks logs:CreateLogStream on its log group",
    "function control: its role lacks logs:PutLogEvents on its log group",
    "user pool: Cognito may not invoke its trigger control-1",
    "HTTP API api: API Gateway may not invoke control-1",
    "schedule meter: EventBridge may not invoke control-1",
    "function URL proxy: the permission lambda:InvokeFunctionUrl is missing",
    "function URL proxy: the permission lambda:InvokeFunction is missing",
  ]);
});

describe("a function needs", () => {
  test("a function needs a role that Lambda may assume", async () => {
    const trust = [{ Effect: "Allow", Principal: { Service: "ec2.amazonaws.com" }, Action: "sts:AssumeRole" }];
    expect(await problemsOf(role([writesLogs], trust), itself)).toEqual([
      "function control: its role does not trust lambda.amazonaws.com",
    ]);
  });

  test("a function needs a declared log group", async () => {
    expect(await problemsOf(role(), fn)).toEqual(["function control: its log group is not declared"]);
  });

  test("a function needs the right to write to its own log group; a right on another group is not enough", async () => {
    const other = `${arnOf("logs", "log-group:other")}:log-stream:*`;
    const rights = [allow("logs:CreateLogStream", logGroupArn.concat(":*")), allow("logs:PutLogEvents", other)];
    expect(await problemsOf(role(rights), itself)).toEqual([
      "function control: its role lacks logs:PutLogEvents on its log group",
    ]);
  });
});

describe("a permission counts only", () => {
  const missing = ["HTTP API api: API Gateway may not invoke control-1"];

  test.each([
    ["for its function", { function: "other" }],
    ["for its service", { principal: "events.amazonaws.com" }],
    ["for invoking", { action: "lambda:GetFunction" }],
    ["for its source", { sourceArn: `${arnOf("execute-api", "api2")}/*` }],
    ["for the whole source", { sourceArn: executionArn }],
    ["with a source, or every account's resource would be let in", { sourceArn: undefined }],
  ])("%s", async (_, changes) => {
    expect(await problemsOf(role(), itself, api, integration, aPermission({ ...fromApi, ...changes }))).toEqual(
      missing,
    );
  });

  test("the ARN of a permission is compared literally: a dot means a dot", async () => {
    const permission = aPermission({ ...fromApi, sourceArn: `${executionArn.replace("api1", "ap.1")}/*` });
    expect(await problemsOf(role(), itself, api, integration, permission)).toEqual(missing);
  });
});

describe("a reference to nothing that is declared is named", () => {
  test("a trigger that invokes an undeclared function is named", async () => {
    expect(await problemsOf(pool)).toEqual([`user pool: its trigger ${functionArn} is not declared`]);
  });

  test.each([
    ["function", [api, integration]],
    ["API", [...role(), ...itself, integration]],
  ])("an API integration without its declared %s is named", async (_, declarations) => {
    expect(await problemsOf(declarations)).toEqual([
      "HTTP API api1: its integration leads to nothing that is declared",
    ]);
  });

  test.each([
    ["function", [rule, target]],
    ["rule", [...role(), ...itself, target]],
  ])("a schedule without its declared %s is named", async (_, declarations) => {
    expect(await problemsOf(declarations)).toEqual(["schedule meter: its rule or its function is not declared"]);
  });
});

describe("a public function URL needs both permissions, open to everyone", () => {
  test.each<[string, object[], string]>([
    ["one for the URL", [viaUrl], "lambda:InvokeFunctionUrl"],
    ["one for the function", [byUrl], "lambda:InvokeFunction"],
    ["without signatures", [{ ...byUrl, functionUrlAuthType: "AWS_IAM" }, viaUrl], "lambda:InvokeFunctionUrl"],
    ["through the URL alone", [byUrl, { principal: "*" }], "lambda:InvokeFunction"],
    ["for everyone", [{ ...byUrl, principal: "000000000000" }, viaUrl], "lambda:InvokeFunctionUrl"],
  ])("%s", async (_, permissions, action) => {
    expect(await problemsOf(role(), itself, url, permissions.map(aPermission))).toEqual([
      `function URL proxy: the permission ${action} is missing`,
    ]);
  });
});

test("a right that AWS does not know is reported with the wiring", async () => {
  const statements = [writesLogs, allow("dynamodb:GetItme", "*")];
  expect(await problemsOf(role(statements), itself)).toEqual([
    "RolePolicy control: AWS has no action dynamodb:GetItme",
  ]);
});

describe("a queue that invokes a function", () => {
  const queueArn = arnOf("sqs", "jobs-1");
  const deadArn = arnOf("sqs", "dead-1");
  const consumes = allow(["sqs:ReceiveMessage", "sqs:DeleteMessage", "sqs:GetQueueAttributes"], queueArn);
  const aQueue = (name: string, inputs: object = {}) =>
    declared("aws:sqs/queue:Queue", name, inputs, { name: `${name}-1`, arn: arnOf("sqs", `${name}-1`) });
  const slow = { ...fn, inputs: { ...fn.inputs, timeout: 60 } };
  const aMapping = (inputs: object = {}) =>
    declared("aws:lambda/eventSourceMapping:EventSourceMapping", "jobs", {
      eventSourceArn: queueArn,
      functionName: functionArn,
      ...inputs,
    });
  const consumer = role([writesLogs, consumes]);

  test("a queue that invokes a function needs a role with the rights that Lambda's poller uses", async () => {
    expect(await problemsOf(consumer, itself, aQueue("jobs"), aMapping())).toEqual([]);
    expect(await problemsOf(role(), itself, aQueue("jobs"), aMapping())).toEqual([
      "event source jobs: the role of control lacks sqs:ReceiveMessage on queue jobs",
      "event source jobs: the role of control lacks sqs:DeleteMessage on queue jobs",
      "event source jobs: the role of control lacks sqs:GetQueueAttributes on queue jobs",
    ]);
  });

  test("a queue that invokes a function hides its messages for at least the function's timeout", async () => {
    expect(await problemsOf(consumer, group, slow, aQueue("jobs"), aMapping())).toEqual([
      "event source jobs: the visibility timeout of queue jobs, 30 s, is less than the timeout of its function, 60 s",
    ]);
    const hidden = aQueue("jobs", { visibilityTimeoutSeconds: 60 });
    expect(await problemsOf(consumer, group, slow, hidden, aMapping())).toEqual([]);
  });

  test.each([
    [{ batchSize: 10_001, maximumBatchingWindowInSeconds: 1 }, "its batchSize must be from 1 to 10000"],
    [{ maximumBatchingWindowInSeconds: 301 }, "its maximumBatchingWindowInSeconds must be from 0 to 300"],
    [{ scalingConfig: { maximumConcurrency: 1 } }, "its maximumConcurrency must be from 2 to 1000"],
    [{ batchSize: 11 }, "a batchSize above 10 needs a maximumBatchingWindowInSeconds"],
  ])("a queue that invokes a function with %j is refused", async (inputs, problem) => {
    expect(await problemsOf(consumer, itself, aQueue("jobs"), aMapping(inputs))).toEqual([
      `event source jobs: ${problem}`,
    ]);
  });

  test("a queue's event source has to name a declared queue", async () => {
    expect(await problemsOf(consumer, itself, aMapping())).toEqual([
      "event source jobs: its queue or its function is not declared",
    ]);
  });

  test("a queue that invokes a function has a dead letter queue, and numbers within AWS's limits", async () => {
    const redrivePolicy = JSON.stringify({ deadLetterTargetArn: deadArn, maxReceiveCount: 0 });
    expect(await problemsOf(aQueue("jobs", { redrivePolicy, messageRetentionSeconds: 30 }))).toEqual([
      "queue jobs: its messageRetentionSeconds must be from 60 to 1209600",
      "queue jobs: its maxReceiveCount must be from 1 to 1000",
      "queue jobs: its dead letter queue is not declared",
    ]);
    const sound = JSON.stringify({ deadLetterTargetArn: deadArn, maxReceiveCount: 5 });
    expect(await problemsOf(aQueue("dead"), aQueue("jobs", { redrivePolicy: sound }))).toEqual([]);
  });

  test("a queue that invokes a function has an alarm that names a queue", async () => {
    const anAlarm = (QueueName: string) =>
      declared("aws:cloudwatch/metricAlarm:MetricAlarm", "dead", { namespace: "AWS/SQS", dimensions: { QueueName } });
    expect(await problemsOf(aQueue("dead"), anAlarm("dead-1"))).toEqual([]);
    expect(await problemsOf(aQueue("dead"), anAlarm("dead"))).toEqual(["alarm dead: its queue is not declared"]);
  });
});
