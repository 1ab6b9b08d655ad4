// The bundles that the program declares, run by AWS's own runtime client: the local stack's worker is not its own judge.
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import { unsettledOf } from "../domain/budget/unsettled.ts";
import { monthOf } from "../domain/kernel/period.ts";
import { unpack } from "../emulators/lambda/archive.ts";
import { lambdaEvent } from "../emulators/lambda/event.ts";
import { distribution } from "../emulators/pulumi/services/cloudfront.ts";
import { userPool } from "../emulators/pulumi/services/cognito.ts";
import { functionUrl, lambdaFunction } from "../emulators/pulumi/services/lambda.ts";
import { consoleToken } from "../local/demo/app-client.ts";
import type { Stack } from "../local/stack.ts";
import { ledgerSince, spendingOf } from "./support/accounting/accounting.ts";
import { type Answer, type FunctionProcess, startFunctionProcess } from "./support/program/runtime-api.ts";
import { startSeeded } from "./support/program/seeded-stack.ts";
import { aRequest } from "./support/proxy-client.ts";

let stack: Stack;
let folder: string;
const processes: FunctionProcess[] = [];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "archway-runtime-"));
  stack = await startSeeded();
});
afterEach(async () => {
  stack.faults.clear();
  expect(stack.calls.all().filter(({ allowed }) => !allowed)).toEqual([]);
  await Promise.all(processes.splice(0).map((process) => process.stop()));
});
afterAll(async () => {
  await stack.stop();
  rmSync(folder, { recursive: true });
});

function declaredFunction(name: string) {
  const declared = stack.program.resources.ofType(lambdaFunction.type).find((each) => each.name === name);
  if (!declared) throw new Error(`The program declares no function ${name}`);
  return declared;
}

/** A declared function in a process of its own, with the environment that Lambda would give it. */
async function start(name: string, changes: Record<string, string> = {}): Promise<FunctionProcess> {
  const { inputs, outputs } = declaredFunction(name);
  const keys = stack.credentials.issue({
    roleArn: inputs.role,
    sessionName: `${outputs.name}-under-ric`,
    sessionTags: {},
    functionName: outputs.name,
  });
  const process = await startFunctionProcess({
    arn: outputs.arn,
    timeoutSeconds: inputs.timeout,
    folder: unpack(inputs.code, folder),
    handler: inputs.handler,
    environment: {
      ...inputs.environment.variables,
      AWS_LAMBDA_FUNCTION_NAME: outputs.name,
      AWS_LAMBDA_FUNCTION_VERSION: "$LATEST",
      AWS_LAMBDA_FUNCTION_MEMORY_SIZE: String(inputs.memorySize),
      AWS_LAMBDA_LOG_GROUP_NAME: inputs.loggingConfig.logGroup,
      AWS_LAMBDA_LOG_STREAM_NAME: "2026/01/01/[$LATEST]0123456789abcdef",
      AWS_LAMBDA_LOG_FORMAT: inputs.loggingConfig.logFormat,
      AWS_LAMBDA_INITIALIZATION_TYPE: "on-demand",
      AWS_EXECUTION_ENV: `AWS_Lambda_${inputs.runtime}`,
      AWS_REGION: stack.program.region,
      AWS_DEFAULT_REGION: stack.program.region,
      AWS_ACCESS_KEY_ID: keys.accessKeyId,
      AWS_SECRET_ACCESS_KEY: keys.secretAccessKey,
      AWS_SESSION_TOKEN: keys.sessionToken,
      AWS_ENDPOINT_URL: stack.aws,
      LOCAL_EDGE: stack.edge,
      TZ: ":UTC",
      ...changes,
    },
  });
  processes.push(process);
  return process;
}

const jsonOf = async (answer: Answer) => JSON.parse((await answer.whole).toString("utf8"));

/** What CloudFront sends to the function's URL. */
function messageEvent(headers: Record<string, string> = {}) {
  const ofProxy = (type: string) => stack.program.resources.ofType(type).find(({ name }) => name === "proxy");
  const [declared, url] = [ofProxy(distribution.type), ofProxy(functionUrl.type)];
  const [originSecret] = declared?.inputs.origins[0].customHeaders ?? [];
  const domainName = new URL(url?.outputs.functionUrl).hostname;
  const request = {
    method: "POST",
    url: "/vendor/v1/messages",
    headers: {
      host: domainName,
      [originSecret.name]: originSecret.value,
      "x-viewer-host": `${stack.demo?.slug}.proxy.localhost`,
      "content-type": "application/json",
      "x-api-key": stack.demo?.api_key ?? "",
      ...headers,
    },
    body: Buffer.from(JSON.stringify(aRequest)),
    sourceIp: "198.51.100.7",
  };
  const source = { apiId: url?.outputs.urlId, domainName, routeKey: "$default", stage: "$default" };
  return lambdaEvent(request, source, Date.now());
}

describe("the control plane", () => {
  const source = { apiId: "a1b2c3d4e5", domainName: "api.localhost", routeKey: "$default", stage: "$default" };
  const getMe = (headers: Record<string, string>) => {
    const request = { method: "GET", url: "/v1/me", headers, body: Buffer.alloc(0), sourceIp: "198.51.100.7" };
    return lambdaEvent(request, source, Date.now());
  };

  test("under AWS's runtime the control plane answers callers with and without a sign-in", async () => {
    const control = await start("control");
    const token = await consoleToken(stack, stack.demo?.owner ?? { email: "", password: "" });

    const answer = await control.invoke(getMe({ authorization: `Bearer ${token}` }));
    expect(answer.path).toBe("response");
    const { statusCode, body } = await jsonOf(answer);
    expect(statusCode).toBe(200);
    expect(JSON.parse(body)).toMatchObject({ email: stack.demo?.owner.email });

    const refused = await jsonOf(await control.invoke(getMe({})));
    expect(refused.statusCode).toBe(401);
  });
});

describe("the proxy", () => {
  test("under AWS's runtime the proxy streams a message in Lambda's wire format while the model host is still producing it", async () => {
    const proxy = await start("proxy");
    stack.bedrock.fail({ error: "stall", after: 2 });
    const answer = await proxy.invoke(messageEvent());
    expect(answer.path).toBe("response");
    expect(answer.headers).toMatchObject({
      "lambda-runtime-function-response-mode": "streaming",
      "transfer-encoding": "chunked",
      "content-type": "application/vnd.awslambda.http-integration-response",
    });

    while (!Buffer.concat(answer.chunks).includes("event: message_start")) await answer.more();
    expect(stack.bedrock.requests().at(-1)?.outcome).toBe("running");
    const beforeTheStall = Buffer.concat(answer.chunks).length;
    stack.bedrock.resume();

    const whole = await answer.whole;
    expect(whole.length).toBeGreaterThan(beforeTheStall);
    const { prelude, body } = split(whole);
    expect(prelude).toMatchObject({
      statusCode: 200,
      headers: { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-store" },
    });
    const call = stack.bedrock.requests().at(-1);
    const events = call?.chunks.map((json) => `event: ${JSON.parse(json).type}\ndata: ${json}\n\n`).join("");
    expect(body).toBe(events);
    expect(call?.outcome).toBe("complete");
    await proxy.idle();
  });

  test("under AWS's runtime the proxy accepts the next event only when the call is settled", async () => {
    const proxy = await start("proxy");
    const since = stack.clock.now();
    const before = (await ledgerSince(stack, since)).length;
    stack.faults.put([
      { service: "dynamodb", operation: "PutItem", match: "LEDGER#", when: "before", kind: "delay", milliseconds: 500 },
    ]);
    const answer = await proxy.invoke(messageEvent());
    await answer.whole;
    expect((await ledgerSince(stack, since)).length).toBe(before);
    await proxy.idle();
    expect((await ledgerSince(stack, since)).length).toBe(before + 1);
  });

  test("under AWS's runtime the proxy writes its metrics as the lines that CloudWatch reads", async () => {
    const proxy = await start("proxy");
    await (await proxy.invoke(messageEvent())).whole;
    await proxy.idle();
    await proxy.stop();
    const lines = proxy.output.map((line) => JSON.parse(line));
    expect(lines.filter(({ _aws }) => _aws?.CloudWatchMetrics)).not.toEqual([]);
  });

  test("under AWS's runtime the proxy refuses in the usual error shape", async () => {
    const proxy = await start("proxy");
    const { prelude, body } = split(await (await proxy.invoke(messageEvent({ "x-api-key": "ar_live_wrong" }))).whole);
    expect(prelude.statusCode).toBe(401);
    expect(JSON.parse(body)).toMatchObject({ type: "error", error: { type: "authentication_error" } });
  });

  test("under AWS's runtime the proxy does not start without its environment, and says what is missing", async () => {
    const proxy = await start("proxy", { TABLE_NAME: "" });
    const answer = await proxy.invoke(messageEvent());
    expect(answer.path).toBe("init/error");
    expect((await jsonOf(answer)).errorMessage).toContain("TABLE_NAME");
  });

  /** Eight NULs are between the prelude and the body. */
  function split(wire: Buffer) {
    const end = wire.indexOf(Buffer.alloc(8));
    expect(end).toBeGreaterThan(0);
    return { prelude: JSON.parse(wire.toString("utf8", 0, end)), body: wire.toString("utf8", end + 8) };
  }
});

describe("the meter", () => {
  // docs.aws.amazon.com/eventbridge/latest/ref/events-ref-scheduled-events.html
  const scheduled = () => ({
    version: "0",
    id: "53dc4d37-cffa-4f76-80c9-8b7d4a4d2eaa",
    "detail-type": "Scheduled Event",
    source: "aws.events",
    account: "123456789012",
    time: new Date(stack.clock.now()).toISOString(),
    region: stack.program.region,
    resources: [`arn:aws:events:${stack.program.region}:123456789012:rule/metering`],
    detail: {},
  });

  test("under AWS's runtime the meter queues its jobs and carries one out", async () => {
    const meter = await start("meter");
    const queued = await meter.invoke(scheduled());
    expect({ path: queued.path, result: await jsonOf(queued) }).toEqual({ path: "response", result: null });
    const job = JSON.stringify({ month: monthOf(stack.clock.now()), shard: 0 });
    const answer = await meter.invoke(messagesOf("meter-jobs", [job]));
    expect(await jsonOf(answer)).toEqual({ batchItemFailures: [] });
  });
});

describe("settle", () => {
  test("under AWS's runtime the function settle books usage from the log line that the proxy writes if store and queue do not answer", async () => {
    const since = stack.clock.now();
    const [proxy, settle] = await Promise.all([start("proxy"), start("settle")]);
    stack.faults.put([
      { service: "dynamodb", operation: "PutItem", match: "LEDGER#", when: "before", kind: "error", times: 100 },
      { service: "sqs", operation: "SendMessage", when: "before", kind: "error", times: 100 },
    ]);
    await (await proxy.invoke(messageEvent())).whole;
    await proxy.idle();
    await proxy.stop();
    stack.faults.clear();
    expect((await spendingOf(stack)).reservations).toHaveLength(1);
    const unsettled = proxy.output.map(unsettledOf).filter((each) => each !== undefined);
    expect(unsettled).toHaveLength(1);

    const answer = await settle.invoke(
      messagesOf(
        "unsettled",
        unsettled.map((each) => JSON.stringify(each)),
      ),
    );
    expect(await jsonOf(answer)).toEqual({ batchItemFailures: [] });
    expect((await spendingOf(stack)).reservations).toEqual([]);
    const rows = await ledgerSince(stack, since);
    const counted = stack.bedrock.requests().at(-1)?.usage;
    expect(rows.map(({ usage, source }) => [usage.output, source])).toContainEqual([counted?.output_tokens, "final"]);
  });
});

/** docs.aws.amazon.com/lambda/latest/dg/with-sqs.html */
function messagesOf(queue: string, bodies: string[]) {
  return {
    Records: bodies.map((body, index) => ({
      messageId: `19dd0b57-b21e-4ac1-bd88-01bbb068cb7${index}`,
      receiptHandle: "MessageReceiptHandle",
      body,
      attributes: { ApproximateReceiveCount: "1", SentTimestamp: String(stack.clock.now()) },
      messageAttributes: {},
      md5OfBody: createHash("md5").update(body).digest("hex"),
      eventSource: "aws:sqs",
      eventSourceARN: `arn:aws:sqs:${stack.program.region}:123456789012:${queue}`,
      awsRegion: stack.program.region,
    })),
  };
}

test("under AWS's runtime the triggers give a token its claims", async () => {
  const triggers = await start("triggers");
  const [pool] = stack.program.resources.ofType(userPool.type);
  const { sub = "", email = "" } = stack.demo?.owner ?? {};
  // docs.aws.amazon.com/cognito/latest/developerguide/user-pool-lambda-pre-token-generation.html
  const event = {
    version: "2",
    triggerSource: "TokenGeneration_HostedAuth",
    region: stack.program.region,
    userPoolId: pool?.outputs.id,
    userName: sub,
    callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId: stack.program.exports.consoleClientId },
    request: {
      userAttributes: { sub, email, email_verified: "true", "cognito:user_status": "CONFIRMED" },
      scopes: ["openid", "email"],
      groupConfiguration: { groupsToOverride: [], iamRolesToOverride: [], preferredRole: null },
    },
    response: { claimsAndScopeOverrideDetails: null },
  };
  const answer = await triggers.invoke(event);
  expect(answer.path).toBe("response");
  const { response, ...rest } = await jsonOf(answer);
  expect(rest).toMatchObject({ version: "2", userName: sub });
  expect(response.claimsAndScopeOverrideDetails.accessTokenGeneration.claimsToAddOrOverride).toMatchObject({
    tenant_id: stack.demo?.tenant_id,
  });
});
