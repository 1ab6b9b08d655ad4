import { expect, test } from "@jest/globals";
import { chosen, emptyEntry, type OperationChoice } from "../../../domain/openapi/choice.ts";
import { operationsOf, placeOf } from "../../../domain/openapi/document.ts";

const operations = operationsOf({
  paths: {
    "/pets": { get: { operationId: "listPets", tags: ["pets"] }, post: { tags: ["pets", "write"] } },
    "/pets/{id}": { get: { tags: ["pets"] } },
    "/petshops": { get: { tags: ["shops"] } },
  },
});

test.each<[string, OperationChoice, string[]]>([
  ["nothing", {}, ["GET /pets", "POST /pets", "GET /pets/{id}", "GET /petshops"]],
  ["a tag", { tags: ["write", "shops"] }, ["POST /pets", "GET /petshops"]],
  ["a path, with what is below it", { paths: ["/pets/"] }, ["GET /pets", "POST /pets", "GET /pets/{id}"]],
  ["a method", { methods: ["POST"] }, ["POST /pets"]],
  ["an operation id or a place", { ids: ["listPets", "GET /petshops"] }, ["GET /pets", "GET /petshops"]],
  ["a tag and a method", { tags: ["pets"], methods: ["GET"] }, ["GET /pets", "GET /pets/{id}"]],
])("operations are chosen by %s", (_, choice, expected) => {
  expect(chosen(operations, choice).map(placeOf)).toEqual(expected);
});

test("an entry that fits no operation is named", () => {
  expect(emptyEntry(operations, { tags: ["pets", "cats"] })?.field).toBe("operations.tags.1");
  expect(emptyEntry(operations, { tags: ["pets"], paths: ["/pets"] })).toBeUndefined();
});
