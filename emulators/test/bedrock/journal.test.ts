import { expect, test } from "@jest/globals";
import type { AwsRequest } from "../../aws/service.ts";
import { Journal } from "../../bedrock/journal.ts";
import { Clock } from "../../clock.ts";

const route = { operation: "InvokeModel", modelId: "eu.anthropic.claude-sonnet-5" } as const;

function request(body: Buffer): AwsRequest {
  return {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: { authorization: "AWS4 secret", "x-amz-security-token": "secret", "anthropic-beta": "x" },
    body,
    region: "eu-central-1",
    principal: undefined,
  };
}

test("a recorded call has no credentials, and the stack's time", () => {
  const clock = new Clock();
  clock.advance(86_400_000);
  const call = new Journal(clock).open(request(Buffer.from('{"a":1}')), route);
  expect(call).toMatchObject({ ...route, region: "eu-central-1", body: { a: 1 }, headers: { "anthropic-beta": "x" } });
  expect(JSON.stringify(call)).not.toContain("secret");
  expect(Date.parse(call.time)).toBeGreaterThan(Date.now() + 86_000_000);
});

test("a recorded request body that is not JSON is shown as text", () => {
  expect(new Journal(new Clock()).open(request(Buffer.from("{")), route).body).toBe("{");
});

test("the journal of Bedrock keeps only the last calls, newest last", () => {
  const journal = new Journal(new Clock());
  for (let call = 1; call <= 1001; call += 1) journal.open(request(Buffer.from(String(call))), route);
  const bodies = journal.calls().map(({ body }) => body);
  expect([bodies.length, bodies[0], bodies.at(-1)]).toEqual([1000, 2, 1001]);
});

test("large bodies make Bedrock's journal forget older calls, but never the last call", () => {
  const journal = new Journal(new Clock());
  for (let call = 0; call < 4; call += 1) journal.open(request(Buffer.alloc(33_000_000, " ")), route);
  expect(journal.calls()).toHaveLength(1);
  journal.clear();
  expect(journal.calls()).toEqual([]);
});
