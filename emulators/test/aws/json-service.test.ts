import { expect, test } from "@jest/globals";
import * as z from "zod";
import { JsonService, jsonOperation } from "../../aws/json-service.ts";
import { AwsError, type AwsRequest } from "../../aws/service.ts";

const rename = jsonOperation(
  "ValidationException",
  z.strictObject({ Name: z.string().min(1) }),
  ({ Name }, context: { region: string }) => [{ action: "toy:Rename", resource: `${context.region}/${Name}` }],
  ({ Name }) => (Name === "nobody" ? undefined : { Renamed: Name }),
);
const toy = new JsonService({
  signingName: "toy",
  title: "toy",
  operations: { Rename: rename },
  contextOf: (_operation, { region }) => ({ region }),
});

function request(body: string, operation = "Rename"): AwsRequest {
  const headers = { "x-amz-target": `Toy_2026.${operation}` };
  const rest = { method: "POST", path: "/", query: new URLSearchParams(), region: "here", principal: undefined };
  return { ...rest, headers, body: Buffer.from(body) };
}

test("an operation is named by the header x-amz-target, and needs the rights that follow from its input", () => {
  expect(toy.operation(request("{}"))).toBe("Rename");
  expect(toy.authorizations("Rename", request('{"Name":"a"}'))).toEqual([{ action: "toy:Rename", resource: "here/a" }]);
});

test.each(["Delete", "constructor"])("the operation %s is not emulated", (operation) => {
  expect(() => toy.operation(request("{}", operation))).toThrow(`The local toy does not emulate ${operation}`);
});

test("an answer without members has an empty body", async () => {
  expect((await toy.handle("Rename", request('{"Name":"a"}'))).body).toBe('{"Renamed":"a"}');
  expect((await toy.handle("Rename", request('{"Name":"nobody"}'))).body).toBe("");
});

test.each(["{", "1", "null"])("the body %s is no JSON object", (body) => {
  expect(() => toy.authorizations("Rename", request(body))).toThrow("The body is not a JSON object.");
});

test("every problem of an input is named, in the service's own error", () => {
  const wrong = () => toy.authorizations("Rename", request('{"Name":"","Force":true}'));
  expect(wrong).toThrow(AwsError);
  expect(wrong).toThrow(/Name: .+; Force: not emulated$/);
});
