// A document as AgentCore gets it, and what became of its operations.
import { describe, expect, test } from "@jest/globals";
import { type RegisteredSpec, toolsOfSpec } from "../../../domain/openapi/registered-spec.ts";
import { rewriteSpec, type Wishes } from "../../../domain/openapi/rewriting.ts";

const digest = (text: string) => Buffer.from(text).toString("hex").slice(-16).padStart(16, "0");

const pets = (changes: object = {}) => ({
  openapi: "3.0.3",
  info: { title: "Pets", version: "1" },
  servers: [{ url: "https://api.pets.example.com/v1/" }],
  paths: { "/pets": { get: { operationId: "listPets", summary: "All pets" } } },
  ...changes,
});

const rewritten = (document: unknown, wishes: Partial<Wishes> = {}) =>
  rewriteSpec(document, { names: new Map(), digest, ...wishes });

function taken(document: unknown, wishes: Partial<Wishes> = {}): RegisteredSpec {
  const made = rewritten(document, wishes);
  if ("problem" in made) throw new Error(made.problem.message);
  return made;
}

/** One operation `POST /pets/{id}` with these members. */
const one = (operation: object, changes: object = {}) =>
  pets({ paths: { "/pets/{id}": { post: { operationId: "feed", ...operation } } }, ...changes });

const id = { name: "id", in: "path", required: true, schema: { type: "string" } };
const body = (schema: unknown, type = "application/json", required = false) => ({
  requestBody: { required, content: { [type]: { schema } } },
});

/** The operation as AgentCore gets it. */
// biome-ignore lint/suspicious/noExplicitAny: tests read into it
const made = (operation: object, wishes: Partial<Wishes> = {}): any =>
  // biome-ignore lint/suspicious/noExplicitAny: tests read into it
  (taken(one(operation), wishes).document.paths as any)["/pets/{id}"].post;

/** Losses of the only operation as `code at`, or the reason why it is not offered. */
function outcome(operation: object, wishes: Partial<Wishes> = {}): string | string[] {
  const other = { "/other": { get: { operationId: "other" } } };
  const document = one(operation);
  const { report } = taken({ ...document, paths: { ...document.paths, ...other } }, wishes);
  const [found] = report.operations;
  return found?.reason ?? (found?.losses ?? []).map(({ code, at }) => `${code} ${at}`);
}

test("a plain document is taken whole, below its server's address without the last slash", () => {
  expect(taken(pets())).toEqual({
    document: {
      openapi: "3.0.3",
      info: { title: "Pets", version: "1" },
      servers: [{ url: "https://api.pets.example.com/v1" }],
      paths: {
        "/pets": {
          get: {
            operationId: "listPets",
            description: "All pets",
            parameters: [],
            responses: { default: { description: "The API's answer" } },
          },
        },
      },
    },
    report: {
      base_url: "https://api.pets.example.com/v1",
      taken: 1,
      taken_with_loss: 0,
      not_offered: 0,
      not_chosen: 0,
      operations: [],
    },
  });
});

test.each<[string, unknown, string, Partial<Wishes>?]>([
  ["a text", "openapi: 3", "not_readable"],
  ["a list", [], "not_readable"],
  ["OpenAPI 3.2", pets({ openapi: "3.2.0" }), "version_unsupported"],
  ["a version that is a number", pets({ openapi: 3.1 }), "version_unsupported"],
  ["no operation", pets({ paths: {} }), "no_operations"],
  ["more than 20 MB", pets({ info: { title: "a".repeat(20_971_521) } }), "too_large"],
  ["no server", pets({ servers: [] }), "server_missing"],
  ["a server without https", pets({ servers: [{ url: "http://localhost:8080" }] }), "server_invalid"],
  ["a server that is a path", pets({ servers: [{ url: "/api" }] }), "server_invalid"],
  ["a choice of a tag that no operation has", pets(), "nothing_chosen", { choice: { tags: ["cats"] } }],
  ["no operation that can be offered", pets({ paths: { "//evil.example.com/x": { get: {} } } }), "nothing_offered"],
])("a document is refused: %s", (_, document, code, wishes = {}) => {
  expect(rewritten(document, wishes)).toMatchObject({ problem: { code } });
});

test("a document that contains itself by a YAML alias is refused", () => {
  const document: Record<string, unknown> = pets();
  document["x-self"] = document;
  expect(rewritten(document)).toMatchObject({ problem: { code: "too_deep" } });
});

test("a document of many files is refused with the advice to bundle it", () => {
  const paths = { "/pets": { $ref: "pets.yaml" } };
  expect(rewritten(pets({ paths }))).toMatchObject({
    problem: { code: "nothing_offered", message: expect.stringContaining("bundle") },
  });
});

test("more operations than a gateway takes are refused with the advice to choose, and a choice of them is taken", () => {
  const paths = Object.fromEntries(
    Array.from({ length: 100_000 }, (_, place) => [`/${place}`, { get: { tags: [place < 3 ? "few" : "many"] } }]),
  );
  expect(rewritten(pets({ paths }))).toMatchObject({
    problem: { code: "too_many_operations", message: expect.stringContaining("choose with operations") },
  });
  expect(taken(pets({ paths }), { choice: { tags: ["few"] } }).report).toMatchObject({ taken: 3, not_chosen: 99_997 });
});

test("tools that are larger in sum than a gateway takes are refused with the advice to choose", () => {
  const properties = Object.fromEntries(
    Array.from({ length: 400 }, (_, place) => [`member_${place}`, { type: "string" }]),
  );
  const operation = { requestBody: body({ properties }).requestBody };
  const paths = Object.fromEntries(Array.from({ length: 200 }, (_, place) => [`/${place}`, { post: operation }]));
  expect(rewritten(pets({ paths }))).toMatchObject({ problem: { code: "tools_too_large" } });
});

describe("the address", () => {
  test("a given address takes the place of the document's", () => {
    const { report } = taken(pets({ servers: [{ url: "http://localhost:8080" }] }), {
      baseUrl: "https://pets.example.com/",
    });
    expect(report.base_url).toBe("https://pets.example.com");
  });

  test("a variable in a server's address has its default", () => {
    const servers = [{ url: "https://{region}.pets.example.com/v1", variables: { region: { default: "eu" } } }];
    expect(taken(pets({ servers })).report.base_url).toBe("https://eu.pets.example.com/v1");
  });

  test("an operation at another server than most is not offered, and is when it is chosen alone", () => {
    const elsewhere = { get: { operationId: "photo", servers: [{ url: "https://photos.example.com" }] } };
    const document = pets({ paths: { "/pets": { get: {}, post: {} }, "/photos": elsewhere } });
    expect(taken(document).report).toMatchObject({
      taken: 2,
      operations: [{ operation: "GET /photos", reason: "other_server" }],
    });
    expect(taken(document, { choice: { paths: ["/photos"] } }).report).toMatchObject({
      base_url: "https://photos.example.com",
      taken: 1,
    });
  });

  test("an address that only the paths name is the document's", () => {
    const paths = { "/pets": { servers: [{ url: "https://api.example.com" }], get: {} } };
    expect(taken(pets({ servers: undefined, paths })).report.base_url).toBe("https://api.example.com");
  });
});

describe("parameters", () => {
  const query = (parameter: object) => ({ parameters: [id, { in: "query", name: "q", ...parameter }] });

  test.each<[string, object, string | string[]]>([
    ["a list that repeats its name is taken", query({ schema: { type: "array", items: { type: "string" } } }), []],
    [
      "a list that is joined is left out",
      query({ explode: false, schema: { type: "array", items: {} } }),
      ["left_out q"],
    ],
    [
      "a needed list that is joined keeps the operation from being offered",
      query({ required: true, explode: false, schema: { type: "array" } }),
      "parameter_style",
    ],
    ["a deep object is left out", query({ style: "deepObject", schema: { type: "object" } }), ["left_out q"]],
    ["a cookie is left out", { parameters: [id, { in: "cookie", name: "c", schema: {} }] }, ["left_out c"]],
    [
      "a needed cookie keeps the operation from being offered",
      { parameters: [id, { in: "cookie", name: "c", required: true }] },
      "cookie_parameter",
    ],
    ["JSON in a parameter is text", query({ content: { "application/json": { schema: {} } } }), ["as_text q"]],
    [
      "a list in the path keeps the operation from being offered",
      { parameters: [{ ...id, schema: { type: "array" } }] },
      "parameter_style",
    ],
    ["a variable of the path that nothing describes keeps the operation from being offered", {}, "path_invalid"],
    [
      "two needed parameters of one name keep the operation from being offered",
      query({ name: "id", required: true, schema: {} }),
      "same_name",
    ],
    ["an optional parameter with the name of another is left out", query({ name: "id", schema: {} }), ["left_out id"]],
    [
      "a reference to nothing keeps the operation from being offered",
      { parameters: [id, { $ref: "#/components/parameters/None" }] },
      "dangling_reference",
    ],
  ])("%s", (_, operation, expected) => {
    expect(outcome(operation)).toEqual(expected);
  });

  test("an object in the form style is one parameter for each member", () => {
    const schema = {
      type: "object",
      properties: { page: { type: "integer" }, sort: { type: "array", items: { type: "string" } } },
    };
    expect(made(query({ name: "pageable", schema })).parameters).toEqual([
      expect.objectContaining({ name: "id", in: "path" }),
      { name: "page", in: "query", required: false, schema: { type: "integer" } },
      { name: "sort", in: "query", required: false, schema: { type: "array", items: { type: "string" } } },
    ]);
  });

  test("parameters of the path and of the operation are taken, and the operation's own counts", () => {
    const document = pets({
      paths: {
        "/pets/{id}": {
          parameters: [id, { name: "q", in: "query", schema: { type: "string" } }],
          get: { parameters: [{ name: "q", in: "query", schema: { type: "integer" } }] },
        },
      },
    });
    const [tool] = toolsOfSpec(taken(document));
    expect(JSON.stringify(tool?.definition)).toContain(
      '{"name":"q","in":"query","required":false,"schema":{"type":"integer"}}',
    );
  });

  test("the parameter that carries the credential, and headers that the gateway writes, are no arguments", () => {
    const parameters = [
      id,
      ...["X-Key", "Accept", "Authorization"].map((name) => ({ name, in: "header", required: true, schema: {} })),
    ];
    const operation = made({ parameters }, { credential: { location: "header", name: "x-key" } });
    expect(operation.parameters.map(({ name }: { name: string }) => name)).toEqual(["id"]);
  });
});

describe("a body", () => {
  const named = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const of = (...given: Parameters<typeof body>) => ({ parameters: [id], ...body(...given) });

  test.each<[string, object, string | string[]]>([
    ["JSON with a character set is taken", of(named, "application/json; charset=utf-8", true), []],
    ["a body of any type is sent as JSON", of(named, "*/*"), []],
    ["a form of values is taken", of(named, "application/x-www-form-urlencoded", true), []],
    [
      "an object in a form is left out",
      of({ properties: { a: { type: "object" }, b: {} } }, "application/x-www-form-urlencoded"),
      ["left_out body.a"],
    ],
    [
      "a needed body of a vendor's type keeps the operation from being offered",
      of(named, "application/vnd.api+json", true),
      "media_type",
    ],
    ["an optional body of a vendor's type is left out", of(named, "application/merge-patch+json"), ["left_out body"]],
    ["a body of files keeps the operation from being offered", of(named, "multipart/form-data"), "media_type"],
    [
      "a needed member with the name of a parameter keeps the operation from being offered",
      of({ properties: { id: {} }, required: ["id"] }),
      "same_name",
    ],
    [
      "an optional member with the name of a parameter is left out",
      of({ properties: { id: {}, name: {} } }),
      ["left_out body.id"],
    ],
  ])("%s", (_, operation, expected) => {
    expect(outcome(operation)).toEqual(expected);
  });

  test("inputs that are too large are nested less, and the report says so", () => {
    const wide = (depth: number): object =>
      depth === 0
        ? { type: "string", description: "x".repeat(100) }
        : {
            type: "object",
            properties: Object.fromEntries(["a", "b", "c", "d", "e"].map((name) => [name, wide(depth - 1)])),
          };
    const operation = of(wide(5));
    expect(outcome(operation)).toContain("nesting_cut body.a.a.a");
    expect(JSON.stringify(made(operation)).length).toBeLessThan(16_384);
  });

  test("a loss that a model should know is in the tool's description", () => {
    const schema = {
      properties: { who: { oneOf: [{ type: "string" }, { type: "array", items: { type: "string" } }] } },
    };
    expect(made(of(schema)).description).toBe("Note: body.who is offered as a list only.");
  });
});

test("the rewritten document holds no reference and nothing of answers, examples or extensions", () => {
  const pet = { type: "object", properties: { name: { type: "string", example: "SECRET", "x-go": "SECRET" } } };
  const document = one(
    {
      parameters: [id],
      ...body({ $ref: "#/components/schemas/Pet" }),
      responses: { 200: { description: "SECRET", links: { next: { operationRef: "https://evil.example.com" } } } },
      callbacks: { done: { "https://evil.example.com": {} } },
      externalDocs: { url: "https://evil.example.com" },
      "x-internal": "SECRET",
    },
    { components: { schemas: { Pet: pet }, securitySchemes: { k: { openIdConnectUrl: "https://evil.example.com" } } } },
  );
  expect(JSON.stringify(taken(document).document)).not.toMatch(/SECRET|\$ref|evil/);
});
