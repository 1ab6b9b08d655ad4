// The text of an OpenAPI document.
import { expect, test } from "@jest/globals";
import { readDocumentText } from "../../../adapters/upstream/document-text.ts";
import { wholeProblem } from "../../../domain/openapi/document.ts";

test.each([
  ["JSON", '{ "openapi": "3.0.0" }', { openapi: "3.0.0" }],
  ["JSON with a byte order mark", '\uFEFF{ "openapi": "3.0.0" }', { openapi: "3.0.0" }],
  ["YAML", "openapi: 3.0.0\npaths: {}", { openapi: "3.0.0", paths: {} }],
  ["YAML with an alias", "a: &a { b: 1 }\nc: *a", { a: { b: 1 }, c: { b: 1 } }],
  ["YAML with a day, which stays a text", "version: 2026-11-28", { version: "2026-11-28" }],
])("a document is read as %s", (_, text, document) => expect(readDocumentText(text)).toEqual({ document }));

test.each([
  ["broken JSON", '{\n "a": 1,\n nothing }', "is not JSON: error at line 3, column 2"],
  ["broken YAML", "a: [", "is neither JSON nor YAML: .* at line 2, column 1"],
  ["a key twice", "a: 1\na: 2", "duplicated mapping key at line 2, column 1"],
  ["an alias of nothing", "a: *b", "unidentified alias"],
])("a text that is %s is refused with the place of the error", (_, text, problem) => {
  expect(readDocumentText(text)).toEqual({ problem: expect.stringMatching(problem) });
});

test("a Swagger 2 document is read as OpenAPI 3.0, whose joined lists stay joined", () => {
  const parameters = [{ in: "query", name: "tags", type: "array", items: { type: "string" }, collectionFormat: "csv" }];
  const swagger = {
    ...{ swagger: "2.0", info: { title: "Pets", version: "1" }, host: "api.example.com", basePath: "/v1" },
    ...{ schemes: ["https"], paths: { "/pets": { get: { operationId: "listPets", parameters, responses: {} } } } },
  };
  expect(readDocumentText(JSON.stringify(swagger))).toMatchObject({
    document: {
      openapi: expect.stringMatching(/^3\.0/),
      servers: [{ url: "https://api.example.com/v1" }],
      paths: { "/pets": { get: { parameters: [{ name: "tags", style: "form", explode: false }] } } },
    },
  });
});

test.each([["openapi: 3.0.0"], ["swagger: '2.0'"]])(
  'a YAML document that expands exponentially ("billion laughs") is read without being written out: %s',
  (version) => {
    const lines = [version, "l0: &l0 [a, a, a, a, a, a, a, a, a]"];
    for (let level = 1; level < 12; level++) {
      const aliases = Array(9).fill(`*l${level - 1}`);
      lines.push(`l${level}: &l${level} [${aliases.join(", ")}]`);
    }
    const read = readDocumentText(lines.join("\n"));
    expect("document" in read && wholeProblem(read.document)).toMatchObject({ code: "too_large" });
  },
);

test("a Swagger 2 document that contains itself is read, and refused by its depth", () => {
  const read = readDocumentText("swagger: '2.0'\npaths: &p { a: *p }");
  expect("document" in read && wholeProblem(read.document)).toMatchObject({ code: "too_deep" });
});

test("a reference to another document is read as plain text", () => {
  expect(readDocumentText("a: { $ref: 'https://evil.example.com/a.yaml' }")).toEqual({
    document: { a: { $ref: "https://evil.example.com/a.yaml" } },
  });
});
