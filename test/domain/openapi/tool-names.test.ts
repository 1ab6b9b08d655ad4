import { expect, test } from "@jest/globals";
import type { SpecOperation } from "../../../domain/openapi/document.ts";
import { toolNames } from "../../../domain/openapi/tool-names.ts";

const digest = (text: string) => Buffer.from(text).toString("hex").slice(-6);

const operation = (template: string, operationId?: string): SpecOperation => ({
  ...{ method: "get", template, pathItem: {} },
  operation: operationId === undefined ? {} : { operationId },
});

const names = (operations: SpecOperation[], kept: [string, string][] = []) => [
  ...toolNames(operations, { kept: new Map(kept), digest }).values(),
];

test.each([
  ["its operation id", operation("/pets", "listPets"), "listPets"],
  ["its operation id in plain letters", operation("/pets", "get-/crm/v3/pets/{id}_all"), "get-_crm_v3_pets_id_all"],
  ["its method and path without an operation id", operation("/pets/{id}/photo"), "get_pets_id_photo"],
  ["its method and path where the operation id has no plain letter", operation("/pets", "寵物"), "get_pets"],
])("a tool is named by %s", (_, given, name) => {
  expect(names([given])).toEqual([name]);
});

test("a name that is too long is cut, and ends in a hash", () => {
  const [name = ""] = names([operation("/pets", `list${"Pets".repeat(100)}`)]);
  expect(name).toMatch(/^list(Pets)+[Pets]*_[0-9a-f]{6}$/);
  expect(name).toHaveLength(60);
});

test("operations with one id have names of their own, whatever their order", () => {
  const twins = [operation("/cats", "list"), operation("/dogs", "list")];
  const found = names(twins);
  expect(new Set(found).size).toBe(2);
  expect(names(twins.toReversed())).toEqual(found.toReversed());
});

test("a tool keeps its name in later versions, and another operation cannot take it", () => {
  const kept: [string, string][] = [["GET /pets", "listPets"]];
  const [renamed, thief] = names([operation("/pets", "allPets"), operation("/purge", "listPets")], kept);
  expect(renamed).toBe("listPets");
  expect(thief).toMatch(/^listPets_[0-9a-f]{6}$/);
});

test("the name of an operation that is gone is free", () => {
  expect(names([operation("/cats", "listPets")], [["GET /pets", "listPets"]])).toEqual(["listPets"]);
});
