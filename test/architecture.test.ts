// The rules that keep the layers apart and the files findable (design, section 2), each checked on every source file.
import { basename, dirname, matchesGlob } from "node:path";
import { describe, expect, test } from "@jest/globals";
import { parseSource, type SourceFile, sourceFiles } from "./support/source-files.ts";

const packages = ["npm:*", "npm:@*/*", "node:*"];
const middleware = ["handlers/middleware/*.ts", "npm:@middy/*", "npm:aws-lambda", "npm:zod", "node:*"];

/** What a file may import: the first row that fits counts. `own` is the file's own folder. */
const mayImport: [files: string, targets: string[]][] = [
  ["index.ts", ["components/*.ts"]],
  ["components/*.ts", ["own/*.ts", "{handlers,handlers/*}/contract.ts", "handlers/control/routes.ts", "domain/*.ts",
    "adapters/dynamodb/schema.ts", "npm:@pulumi/*", "npm:{zod,esbuild}", "node:*"]],
  ["domain/key.ts", ["own/*.ts", "npm:zod", "node:crypto", "node:zlib", "npm:bcryptjs"]],
  ["domain/*.ts", ["own/*.ts", "npm:zod", "node:crypto"]],
  ["adapters/*.ts", ["domain/*.ts", ...packages]],
  ["adapters/*/*.ts", ["own/*.ts", "domain/*.ts", ...packages]],
  ["handlers/contract.ts", ["npm:zod"]],
  ["handlers/*/contract.ts", ["handlers/contract.ts", "domain/*.ts", "npm:zod"]],
  ["handlers/control/routes.ts", ["domain/*.ts", "npm:zod"]],
  ["handlers/middleware/*.ts", ["domain/*.ts", ...middleware]],
  ["handlers/*/lambda.ts", ["handlers/contract.ts", "own/*.ts"]],
  ["handlers/*/wiring.ts", ["handlers/contract.ts", "own/*.ts", "domain/*.ts", "{adapters,adapters/*}/*.ts", "node:*"]],
  ["handlers/*/*.ts", ["handlers/contract.ts", "own/*.ts", "domain/*.ts", ...middleware]],
  ["local/seed.ts", ["local/**", "domain/*.ts", "{adapters,adapters/*}/*.ts", ...packages]],
  ["local/**", ["local/**", ...packages]],
  ["packages/*/**", ["own/**", ...packages]],
  ["bench/**", ["bench/**", ...packages]],
  ["test/**", ["**", ...packages]],
  ["*.config.ts", packages],
];

/** Who may import a file, where that is fewer than the table above lets. */
const importedBy: [files: string, importers: string[]][] = [
  ["index.ts", ["test/**"]],
  ["handlers/*/lambda.ts", ["test/**"]],
  ["handlers/*/wiring.ts", ["own/lambda.ts", "test/**"]],
  ["test/**", ["test/**"]],
];

/** What a file may not use: time, chance and the environment come in as arguments. */
const mayNotUse: [files: string, names: string[]][] = [
  ["domain/*.ts", ["Date.now", "new Date()", "performance", "setTimeout", "setInterval"]],
  ["domain/*.ts", ["Math.random", "crypto", "webcrypto", "randomUUID", "randomBytes", "randomInt", "getRandomValues"]],
  ["domain/*.ts", ["fetch", "console"]],
  ["{domain,components}/*.ts", ["process", "globalThis"]],
  ["{adapters,adapters/*}/*.ts", ["process", "globalThis"]],
  // handlers/contract.ts reads it, and only lambda.ts makes it do so.
  ["handlers/*/*.ts", ["process", "globalThis"]],
  ["handlers/*/!(lambda).ts", ["readEnv"]],
];

const files = await sourceFiles();

describe("every source file", () => {
  test("imports only what its layer may", () => expect(files.flatMap(badImports)).toEqual([]));
  test("is imported only by who may", () => expect(files.flatMap(badImporters)).toEqual([]));
  test("uses only what its layer may", () => expect(files.flatMap(badNames)).toEqual([]));
  test("is in no cycle of imports, types included", () => expect(cycles(files)).toEqual([]));
  test("has a name and a place", () => expect(files.flatMap(badPlaces)).toEqual([]));
  test("says something of its own", () => expect(files.filter(({ isBarrel }) => isBarrel).map(path)).toEqual([]));
});

test("bcryptjs is loaded only when a key must be hashed", () => {
  const users = files.filter(({ imports, path }) => imports.includes("npm:bcryptjs") && !path.startsWith("test/"));
  expect(users.map(({ path, imports, dynamicImports }) => [path, imports.length - dynamicImports.length])).toEqual([]);
});
