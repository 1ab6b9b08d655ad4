// The local Lambda as AWS's own client sees it.
import { InvokeCommand, LambdaClient } from "@aws-sdk/client-lambda";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import type { Functions } from "../../lambda/functions.ts";
import { FunctionError } from "../../lambda/instance.ts";
import { Lambda } from "../../lambda/lambda.ts";
import { clientOptions, type RunningEndpoint, startEndpoint } from "../support/aws-endpoint.ts";
import { allow, aPrincipal, aRole, resources } from "../support/declared-iam.ts";

const arnOf = (name: string) => `arn:aws:lambda:eu-central-1:000000000000:function:${name}`;

/** The reaction of the function "worker" to an event. */
let work: (event: unknown) => Promise<unknown>;
const known = ["worker", "other"].map((name) => ({
  settings: { name, arn: arnOf(name) },
  invoke: (event: unknown) => work(event),
}));

let endpoint: RunningEndpoint;
let client: LambdaClient;
beforeEach(async () => {
  work = async (event) => ({ got: event });
  endpoint = await startEndpoint({
    resources: resources(aRole("caller", [allow("lambda:InvokeFunction", [arnOf("worker"), arnOf("nobody")])])),
    services: () => [new Lambda({ all: known } as unknown as Functions)],
  });
  client = new LambdaClient(clientOptions(endpoint.url, endpoint.keysOf(aPrincipal("caller"))));
});
afterEach(async () => {
  client.destroy();
  await endpoint.close();
});

async function invoke(FunctionName: string, payload?: unknown, more: object = {}) {
  const input = { FunctionName, ...(payload !== undefined && { Payload: JSON.stringify(payload) }), ...more };
  const answer = await client.send(new InvokeCommand(input));
  return { ...answer, Payload: JSON.parse(answer.Payload?.transformToString() ?? "") };
}

test("an invocation passes the payload to the function, and answers with its result", async () => {
  const answer = await invoke(arnOf("worker"), { a: [1, "ü"] });
  expect(answer).toMatchObject({ StatusCode: 200, ExecutedVersion: "$LATEST", Payload: { got: { a: [1, "ü"] } } });
  expect(answer.FunctionError).toBeUndefined();
});

test("an invocation without a payload has an empty event, and one without a result is answered with null", async () => {
  const events: unknown[] = [];
  work = async (event) => void events.push(event);
  expect((await invoke("worker")).Payload).toBeNull();
  expect(events).toEqual([{}]);
});

test("an invocation whose function throws is answered with status 200, a header that says so, and the error as payload", async () => {
  work = () => Promise.reject(new FunctionError("TypeError", "x is not a function"));
  expect(await invoke("worker", {})).toMatchObject({
    StatusCode: 200,
    FunctionError: "Unhandled",
    Payload: { errorType: "TypeError", errorMessage: "x is not a function" },
  });
});

test("an answer above 6 MiB is the function's failure", async () => {
  work = async () => "x".repeat(6 * 1024 * 1024);
  expect(await invoke("worker", {})).toMatchObject({
    FunctionError: "Unhandled",
    Payload: { errorType: "Function.ResponseSizeTooLarge" },
  });
});

test.each([
  ["too many at once", "TooManyRequestsException", 429],
  ["a service that stops", "ServiceException", 500],
])("an invocation of %s is a refusal of the service", async (_what, name, status) => {
  work = () => Promise.reject(new FunctionError(name, "not now"));
  await expect(invoke("worker", {})).rejects.toMatchObject({ name, $metadata: { httpStatusCode: status } });
});

test("a role without the right to invoke the function is denied, and the function does not run", async () => {
  let ran = false;
  work = async () => {
    ran = true;
  };
  await expect(invoke("other", {})).rejects.toMatchObject({ name: "AccessDeniedException" });
  expect(ran).toBe(false);
});

test.each([
  ["no function", arnOf("nobody"), {}, "ResourceNotFoundException"],
  ["an event that nobody waits for", "worker", { InvocationType: "Event" }, "InvalidParameterValueException"],
])("an invocation with %s is refused", async (_what, name, more, error) => {
  await expect(invoke(name, {}, more)).rejects.toMatchObject({ name: error });
});

test("a payload that is no JSON is refused", async () => {
  const command = new InvokeCommand({ FunctionName: "worker", Payload: "{" });
  await expect(client.send(command)).rejects.toMatchObject({ name: "InvalidRequestContentException" });
});
