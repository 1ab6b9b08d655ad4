import { expect, test } from "@jest/globals";
import * as z from "zod";
import { RestJsonService, restOperation } from "../../aws/rest-json-service.ts";
import type { AwsRequest } from "../../aws/service.ts";

const service = new RestJsonService<{ operation: string }>({
  signingName: "things",
  title: "Things",
  operations: {
    PutThing: restOperation(
      "PUT /things/{thingId}/",
      202,
      z.strictObject({ thingId: z.string(), name: z.string(), tag: z.array(z.string()).optional() }),
      ({ thingId }) => [{ action: "things:PutThing", resource: thingId }],
      (input, { operation }) => ({ operation, ...input }),
    ),
    DropThing: restOperation(
      "DELETE /things/{thingId}",
      204,
      z.looseObject({}),
      () => [],
      () => undefined,
    ),
  },
  contextOf: (operation) => ({ operation }),
});

const request = (method: string, url: string, body: unknown = undefined): AwsRequest => {
  const { pathname, searchParams } = new URL(url, "http://localhost");
  return {
    method,
    path: pathname,
    query: searchParams,
    headers: {},
    body: Buffer.from(body === undefined ? "" : JSON.stringify(body)),
    region: "eu-central-1",
    principal: undefined,
  };
};

test("an operation gets the members of path, query and body together, and answers with its status", async () => {
  const put = request("PUT", "/things/a%2Fb/?tag=1&tag=2", { name: "A" });
  expect(service.operation(put)).toBe("PutThing");
  expect(service.authorizations("PutThing", put)).toEqual([{ action: "things:PutThing", resource: "a/b" }]);
  const { status, body } = await service.handle("PutThing", put);
  expect({ status, body: JSON.parse(String(body)) }).toEqual({
    status: 202,
    body: { operation: "PutThing", thingId: "a/b", name: "A", tag: ["1", "2"] },
  });
  expect(await service.handle("DropThing", request("DELETE", "/things/a"))).toMatchObject({ status: 204, body: "" });
});

test.each([
  ["PUT", "/things/a"],
  ["DELETE", "/things/a/"],
  ["GET", "/things/a"],
])("the final slash and the method of a path count: %s %s is unknown", (method, path) => {
  expect(() => service.operation(request(method, path))).toThrow(`does not emulate ${method} ${path}`);
});

test("an input that the schema refuses is named in the message, and the error's code is in a header", () => {
  const wrong = request("PUT", "/things/a/", { name: 1, other: true });
  expect(() => service.authorizations("PutThing", wrong)).toThrow(/name: .*other: not emulated/);
  const failure = service.failure({ code: "ConflictException", message: "no", status: 409, members: {} } as never);
  expect(failure).toMatchObject({
    status: 409,
    headers: { "x-amzn-errortype": "ConflictException" },
    body: '{"message":"no"}',
  });
});
