// One spelling for each kind of name (docs/decisions/0032-names-of-records.md), on every source file of the product.
import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "@jest/globals";
import ts from "typescript";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const sources = globSync("{domain,actions,adapters,handlers,components,operations}/**/*.ts", { cwd }).map(
  (path) => [path, readFileSync(`${cwd}/${path}`, "utf8")] as const,
);

test("the spelling rules check the product's files", () => {
  expect(sources.length).toBeGreaterThan(300);
});

test("arguments and locals are camelCase, except a record's field that is destructured under its own name", () => {
  expect(sources.flatMap(([path, text]) => snakeNames(path, text))).toEqual([]);
});

test("the fields of a type have either a record's spelling or the code's, not both", () => {
  expect(sources.flatMap(([path, text]) => mixedTypes(path, text))).toEqual([]);
});

describe("the rules catch", () => {
  test.each([
    ["a local", "const tenant_id = tenant.id;"],
    ["an argument", "const of = (tenant_id: string) => tenant_id;"],
    ["a field that gets the record's spelling", "const { tenantId: tenant_id } = key;"],
  ])("the spelling rules catch: %s", (_, text) => expect(snakeNames("a.ts", text)).toEqual(["a.ts: tenant_id"]));

  test("the spelling rules catch a type with two spellings", () => {
    expect(mixedTypes("a.ts", "type A = { tenant_id: string; callerId: string };")).toEqual([
      "a.ts: tenant_id, callerId",
    ]);
  });
});

test("a field that is destructured from its record keeps its name", () => {
  expect(snakeNames("a.ts", "const { tenant_id } = tenant;")).toEqual([]);
  expect(mixedTypes("a.ts", "type A = { tenant_id: string; name: string };")).toEqual([]);
});

function snakeNames(path: string, text: string): string[] {
  return nodesOf(path, text).flatMap((node) => {
    if (!ts.isVariableDeclaration(node) && !ts.isParameter(node) && !ts.isBindingElement(node)) return [];
    const isOwnName = ts.isBindingElement(node) && !node.propertyName;
    return ts.isIdentifier(node.name) && isSnake(node.name.text) && !isOwnName ? [`${path}: ${node.name.text}`] : [];
  });
}

function mixedTypes(path: string, text: string): string[] {
  return nodesOf(path, text).flatMap((node) => {
    if (!ts.isTypeLiteralNode(node) && !ts.isInterfaceDeclaration(node)) return [];
    const names = node.members.flatMap(({ name }) => (name && ts.isIdentifier(name) ? name.text : []));
    const spelt = names.filter((name) => isSnake(name) || /[a-z][A-Z]/.test(name));
    return spelt.some(isSnake) && !spelt.every(isSnake) ? [`${path}: ${spelt.join(", ")}`] : [];
  });
}

function isSnake(name: string): boolean {
  return /[a-z0-9]_[a-z0-9]/.test(name);
}

function nodesOf(path: string, text: string): ts.Node[] {
  const nodes: ts.Node[] = [];
  const visit = (node: ts.Node) => {
    nodes.push(node);
    ts.forEachChild(node, visit);
  };
  visit(ts.createSourceFile(path, text, ts.ScriptTarget.Latest));
  return nodes;
}
