// The text of an OpenAPI document.
import { expect, test } from "@jest/globals";
import { readDocumentText } from "../../../adapters/upstream/document-text.ts";

test.each([
  ["JSON", '{ "openapi": "3.0.0" }', { openapi: "3.0.0" }],
  ["YAML", "openapi: 3.0.0\npaths: {}", { openapi: "3.0.0", paths: {} }],
  ["YAML with an alias", "a: &a { b: 1 }\nc: *a", { a: { b: 1 }, c: { b: 1 } }],
  ["neither", "{ not json", undefined],
  ["neither", "a: [", undefined],
  ["a key twice", "a: 1\na: 2", undefined],
  ["an alias of nothing", "a: *b", undefined],
])("a document is read as %s: %s", (_, text, document) => expect(readDocumentText(text)).toEqual(document));

test('a YAML document that expands exponentially ("billion laughs") is refused', () => {
  const lines = ["l0: &l0 [a, a, a, a, a, a, a, a, a]"];
  for (let level = 1; level < 12; level++) {
    lines.push(
      `l${level}: &l${level} [${Array(9)
        .fill(`*l${level - 1}`)
        .join(", ")}]`,
    );
  }
  expect(readDocumentText(lines.join("\n"))).toBeUndefined();
});

test("a reference to another document is read as plain text", () => {
  expect(readDocumentText("a: { $ref: 'https://evil.example.com/a.yaml' }")).toEqual({
    a: { $ref: "https://evil.example.com/a.yaml" },
  });
});
