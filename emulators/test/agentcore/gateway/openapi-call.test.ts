import { expect, test } from "@jest/globals";
import { callOperation } from "../../../agentcore/gateway/openapi-call.ts";
import { openApiTools } from "../../../agentcore/gateway/openapi-tools.ts";

const credential = { headers: {}, query: {} };

/** The request that a call of the only operation sends. */
async function sent(requestBody: object, given: Record<string, unknown>) {
  const document = {
    openapi: "3.0.3",
    servers: [{ url: "https://api.example.com" }],
    paths: { "/a": { post: { operationId: "a", requestBody } } },
  };
  const [offered] = openApiTools(JSON.stringify(document));
  if (!offered?.operation) throw new Error("no operation");
  let request: Request | undefined;
  await callOperation(offered.operation, given, credential, async (url, init) => {
    request = new Request(url, init);
    return new Response("{}");
  });
  return { type: request?.headers.get("content-type"), body: await request?.text() };
}

const schema = { type: "object", properties: { name: { type: "string" }, tags: { type: "array", items: {} } } };

test("the members of a JSON body are sent as JSON", async () => {
  expect(await sent({ content: { "application/json": { schema } } }, { name: "Rex", tags: ["a", "b"] })).toEqual({
    type: "application/json",
    body: '{"name":"Rex","tags":["a","b"]}',
  });
});

test("the members of a form are sent as a form, and a list repeats its name", async () => {
  const content = { "application/x-www-form-urlencoded": { schema } };
  expect(await sent({ content }, { name: "Rex & co", tags: ["a", "b"] })).toEqual({
    type: "application/x-www-form-urlencoded",
    body: "name=Rex+%26+co&tags=a&tags=b",
  });
});
