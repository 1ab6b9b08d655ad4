import { expect, test } from "@jest/globals";
import { stringify } from "yaml";
import { openApiTools } from "../../../agentcore/gateway/openapi-tools.ts";

const document = (change: object = {}, operation: object = {}) => ({
  openapi: "3.0.3",
  servers: [{ url: "https://api.example.com/" }],
  paths: { "/a": { get: { operationId: "a", ...operation } } },
  ...change,
});

test("an OpenAPI document in YAML gives the same tools as in JSON, at the address of its server", () => {
  const tools = openApiTools(JSON.stringify(document()));
  expect(openApiTools(stringify(document()))).toEqual(tools);
  expect(tools).toMatchObject([
    { tool: { name: "a" }, operation: { method: "GET", url: "https://api.example.com/a" } },
  ]);
});

test("a request body that is not an object is passed as the argument `body`", () => {
  const schema = { type: "array", items: { type: "string" } };
  const requestBody = { required: true, content: { "application/json": { schema } } };
  const [offered] = openApiTools(JSON.stringify(document({}, { requestBody })));
  expect(offered).toMatchObject({
    tool: { inputSchema: { properties: { body: schema }, required: ["body"] } },
    operation: { body: "whole" },
  });
});

test("parameters declared for a whole path belong to each of its operations, and a schema that contains itself is left open at that place", () => {
  const node = { type: "object", properties: { next: { $ref: "#/components/schemas/Node" } } };
  const [offered] = openApiTools(
    JSON.stringify(
      document({
        paths: {
          "/a/{id}": {
            parameters: [{ name: "id", in: "path", schema: { $ref: "#/components/schemas/Node" } }],
            get: { operationId: "a" },
          },
        },
        components: { schemas: { Node: node } },
      }),
    ),
  );
  expect(offered?.tool.inputSchema).toEqual({
    type: "object",
    properties: { id: { type: "object", properties: { next: { type: "object" } } } },
    required: ["id"],
  });
});

test.each([
  ["Swagger 2", { openapi: undefined, swagger: "2.0" }, {}, "Only OpenAPI 3.0 and 3.1"],
  ["a server without https", { servers: [{ url: "http://api.example.com" }] }, {}, "https URL"],
  ["an operation without a name", {}, { operationId: undefined }, "operationId is missing"],
  [
    "two operations of one name",
    { paths: { "/a": { get: { operationId: "a" }, put: { operationId: "a" } } } },
    {},
    "more than once",
  ],
  ["a remote reference", {}, { parameters: [{ $ref: "https://evil.example/p" }] }, "within the document"],
  ["a reference to nothing", {}, { parameters: [{ $ref: "#/components/parameters/none" }] }, "is not in the document"],
  ["oneOf", {}, { parameters: [{ name: "x", in: "query", schema: { oneOf: [] } }] }, "oneOf is not supported"],
])("%s is refused with a reason", (_, change, operation, reason) => {
  expect(() => openApiTools(JSON.stringify(document(change, operation)))).toThrow(reason);
});

test("a document that is neither JSON nor YAML is refused", () => {
  expect(() => openApiTools("{ nothing")).toThrow("neither JSON nor YAML");
});
