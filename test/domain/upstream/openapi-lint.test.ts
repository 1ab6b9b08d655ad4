// What is refused in an OpenAPI document, and where the refusal says it is.
import { describe, expect, test } from "@jest/globals";
import { judgeSpec } from "../../../domain/upstream/openapi-lint.ts";
import { specRefusal } from "../../../domain/upstream/openapi-problem.ts";

const listPets = { operationId: "listPets", responses: { 200: { description: "pets" } } };

const pets = (changes: object = {}) => ({
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://api.pets.example.com/v1" }],
  paths: { "/pets": { get: listPets } },
  ...changes,
});

const withBody = (schema: unknown, more: object = {}) =>
  pets({
    paths: {
      "/pets": { post: { operationId: "addPet", requestBody: { content: { "application/json": { schema } } } } },
    },
    ...more,
  });

const found = (document: unknown) => judgeSpec(document).problems.map(({ code, path }) => `${code} ${path}`.trim());

test("a plain OpenAPI document becomes tools", () => {
  expect(judgeSpec(pets())).toEqual({
    problems: [],
    operations: [{ name: "listPets", method: "get", path: "/pets", hasParameters: false }],
    servers: ["https://api.pets.example.com/v1"],
  });
});

describe("the whole is refused", () => {
  test.each([
    ["what is no object", "openapi: 3", "not_readable"],
    ["a list", [], "not_readable"],
    ["Swagger 2", { swagger: "2.0", paths: {} }, "swagger_2 swagger"],
    ["OpenAPI 3.2", pets({ openapi: "3.2.0" }), "version_unsupported openapi"],
    ["a version that is a number", pets({ openapi: 3.1 }), "version_unsupported openapi"],
    ["more than a mebibyte", pets({ info: { title: "a".repeat(1_048_576) } }), "too_large"],
    ["no operation", pets({ paths: {} }), "no_operations paths"],
  ])("an OpenAPI document is refused as a whole: %s", (_, document, problem) =>
    expect(found(document)).toEqual([problem]),
  );

  test("an OpenAPI document with 5,000 operations is refused", () => {
    const paths = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, place) => [`/${place}`, { get: { operationId: `get${place}` } }]),
    );
    expect(found(pets({ paths }))).toEqual(["too_many_operations paths"]);
  });

  test("an OpenAPI document that contains itself by a YAML alias is refused", () => {
    const document: Record<string, unknown> = pets();
    document["x-self"] = document;
    expect(found(document)).toEqual(["too_deep"]);
  });

  test("an OpenAPI document that is small as YAML and huge as JSON is refused", () => {
    let lol: unknown = "lol".repeat(100);
    for (let times = 0; times < 9; times++) lol = Array(9).fill(lol);
    expect(found(pets({ "x-lol": lol }))).toEqual(["too_large"]);
  });
});

describe("a reference is refused", () => {
  test.each([
    ["https://evil.example.com/a.json"],
    ["http://169.254.169.254/"],
    ["file:///etc/passwd"],
    ["other.yaml#/a"],
    ["//evil.example.com"],
  ])("a reference that leads out of the document is refused: %s", ($ref) => {
    expect(found(withBody({ $ref }))).toEqual([
      "external_reference paths./pets.post.requestBody.content.application/json.schema.$ref",
    ]);
  });

  test("a reference that leads out of the document by a link is refused", () => {
    const links = { next: { operationRef: "https://evil.example.com/#/paths" } };
    expect(found(pets({ components: { links } }))).toEqual(["external_reference components.links.next.operationRef"]);
  });

  test("a reference that leads to nothing is refused", () => {
    expect(found(withBody({ $ref: "#/components/schemas/Pet" }))).toEqual([
      "dangling_reference paths./pets.post.requestBody.content.application/json.schema.$ref",
    ]);
    expect(found(withBody({ $ref: "#/__proto__" }))).toHaveLength(1);
  });

  test("a reference that leads back to itself, directly or through others, is refused", () => {
    const node = { type: "object", properties: { child: { $ref: "#/components/schemas/Node" } } };
    expect(found(withBody({ $ref: "#/components/schemas/Node" }, { components: { schemas: { Node: node } } }))).toEqual(
      ["circular_reference components.schemas.Node.properties.child.$ref"],
    );
    const schemas = { A: { items: { $ref: "#/components/schemas/B" } }, B: { $ref: "#/components/schemas/A" } };
    expect(found(withBody({ $ref: "#/components/schemas/A" }, { components: { schemas } }))[0]).toContain(
      "circular_reference",
    );
    const self = { Loop: { $ref: "#/components/schemas/Loop" } };
    expect(found(withBody({ $ref: "#/components/schemas/Loop" }, { components: { schemas: self } }))).toHaveLength(1);
  });

  test("a reference to a schema that two others share is not recursive", () => {
    const schemas = {
      Name: { type: "string" },
      Pet: { properties: { a: { $ref: "#/components/schemas/Name" }, b: { $ref: "#/components/schemas/Name" } } },
    };
    expect(found(withBody({ $ref: "#/components/schemas/Pet" }, { components: { schemas } }))).toEqual([]);
  });

  test("a reference with escapes is resolved", () => {
    const schemas = { "a/b ~": { oneOf: [] } };
    expect(found(withBody({ $ref: "#/components/schemas/a~1b%20~0" }, { components: { schemas } }))).toEqual([
      "schema_composition components.schemas.a/b ~.oneOf",
    ]);
  });
});

describe("an operation is refused", () => {
  test("an operation without an id, or with the id of another operation, is refused", () => {
    const paths = { "/a": { get: {}, put: { operationId: "a" } }, "/b": { get: { operationId: "a" } } };
    expect(found(pets({ paths }))).toEqual([
      "operation_id_missing paths./a.get.operationId",
      "operation_id_duplicate paths./b.get.operationId",
    ]);
  });

  test("an operation with an id of 129 characters is refused", () => {
    const paths = { "/a": { get: { operationId: "a".repeat(129) } } };
    expect(found(pets({ paths }))).toEqual(["operation_id_long paths./a.get.operationId"]);
  });

  test.each(["oneOf", "anyOf", "allOf"])("an operation whose body has %s, however deep, is refused", (name) => {
    const schema = { type: "object", properties: { a: { type: "array", items: { [name]: [{ type: "string" }] } } } };
    expect(found(withBody(schema))).toEqual([
      `schema_composition paths./pets.post.requestBody.content.application/json.schema.properties.a.items.${name}`,
    ]);
  });

  test("an operation whose parameter has oneOf is refused, also for a parameter of its path", () => {
    const parameters = [{ name: "a", in: "query", schema: { oneOf: [] } }];
    expect(found(pets({ paths: { "/a": { parameters, get: { ...listPets, parameters } } } }))).toEqual([
      "schema_composition paths./a.parameters.0.schema.oneOf",
      "schema_composition paths./a.get.parameters.0.schema.oneOf",
    ]);
  });

  test("an operation whose body is not JSON is refused", () => {
    const requestBody = { content: { "multipart/form-data": {} } };
    expect(found(pets({ paths: { "/a": { post: { operationId: "a", requestBody } } } }))).toEqual([
      "media_type_unsupported paths./a.post.requestBody.content",
    ]);
  });

  test("an operation whose answer has oneOf is accepted, because only its input matters", () => {
    const responses = { 200: { content: { "application/json": { schema: { oneOf: [] } } } } };
    expect(found(pets({ paths: { "/pets": { get: { ...listPets, responses } } } }))).toEqual([]);
  });
});

describe("a server is refused", () => {
  test.each([
    ["http://api.example.com"],
    ["https://{region}.example.com"],
    ["/v1"],
    ["https://127.0.0.1/"],
    ["https://[64:ff9b::7f00:1]/"],
  ])("an OpenAPI document with the server %s is refused", (url) =>
    expect(found(pets({ servers: [{ url }] }))).toEqual(["server_invalid servers.0.url"]),
  );

  test("servers of an OpenAPI document's path and operation are checked, too", () => {
    const servers = [{ url: "http://a.example.com" }];
    expect(found(pets({ paths: { "/pets": { servers, get: { ...listPets, servers } } } }))).toEqual([
      "server_invalid paths./pets.servers.0.url",
      "server_invalid paths./pets.get.servers.0.url",
    ]);
  });

  test("an OpenAPI document without a server is refused, unless each operation has its own", () => {
    expect(found(pets({ servers: undefined }))).toEqual(["server_missing servers"]);
    const servers = [{ url: "https://a.example.com" }];
    const own = pets({ servers: [], paths: { "/pets": { get: { ...listPets, servers } } } });
    expect(judgeSpec(own)).toMatchObject({ problems: [], servers: ["https://a.example.com"] });
  });
});

test("the refusal of an OpenAPI document names the first twenty places and the number of others", () => {
  const paths = Object.fromEntries(Array.from({ length: 30 }, (_, place) => [`/${place}`, { get: {} }]));
  const refusal = specRefusal("spec", judgeSpec(pets({ paths })).problems);
  expect(refusal.fields).toHaveLength(20);
  expect(refusal.fields?.[0]?.path).toBe("spec.paths./0.get.operationId");
  expect(refusal.message).toContain("(operation_id_missing)");
  expect(refusal.message).toContain("and 10 more");
});

test("random OpenAPI documents are accepted or refused, without an error", () => {
  const values = [null, 1, "a", [], {}, { $ref: "#/paths" }, { $ref: 1 }, { get: null }, [{ schema: { items: [] } }]];
  for (const one of values) {
    for (const other of values) {
      const operation = { operationId: one, parameters: other, requestBody: one, servers: other };
      judgeSpec(pets({ paths: { "/a": { get: operation, parameters: one } }, components: other, servers: one }));
      judgeSpec(pets({ paths: one }));
    }
  }
});
