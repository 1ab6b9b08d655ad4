import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { bundleFiles } from "../../components/bundle.ts";
import { stackConfig } from "../../components/config.ts";
import { stackCatalog } from "../../components/stack-catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";
import { localStackFile, readStackConfig } from "../../local/program/program.ts";

const folder = "coverage/stack-catalog";
const [model] = catalogData.models;

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/one.json`, JSON.stringify({ models: [{ ...model, id: "only-model" }] }));
  writeFileSync(`${folder}/bad.json`, JSON.stringify({ models: [{ ...model, prices: [] }] }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function configWith(catalog?: string) {
  return stackConfig(await readStackConfig(localStackFile, catalog ? { "archway:catalog": catalog } : {}));
}

test("a stack that names none has the platform's catalog", async () => {
  expect(stackCatalog(await configWith()).models).toHaveLength(catalogData.models.length);
});

test("a stack's own catalog takes its place, in the rights and in the bundles", async () => {
  const config = await configWith(`${folder}/one.json`);
  expect(stackCatalog(config).models.map(({ id }) => id)).toEqual(["only-model"]);
  const holdsIt = (catalog?: string) =>
    Object.values(bundleFiles("handlers/proxy/lambda.ts", catalog)).some((text) => text.includes("only-model"));
  expect([holdsIt(config.catalog), holdsIt()]).toEqual([true, false]);
});

test("a wrong catalog stops the program and names the key, the file and the problem", async () => {
  const config = await configWith(`${folder}/bad.json`);
  expect(() => stackCatalog(config)).toThrow(/archway:catalog: coverage\/stack-catalog\/bad\.json: .*prices/s);
  const missing = await configWith("no-such.json");
  expect(() => stackCatalog(missing)).toThrow(/archway:catalog: no-such\.json/);
});
