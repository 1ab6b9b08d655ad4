import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { bundleFiles } from "../../components/bundle.ts";
import { stackConfig } from "../../components/config.ts";
import { stackCatalog } from "../../components/stack-catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";
import { readStackConfig } from "../../local/program/program.ts";

const folder = "coverage/stack-catalog";
const [model] = catalogData.models;
const aFlag = { rule: "drop", source: "an operator's own look", date: "2026-11-21" };

beforeAll(() => {
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/one.json`, JSON.stringify({ models: [{ ...model, id: "only-model" }] }));
  const capabilities = { ...model?.capabilities, betas: { "new-2027-01-01": { rule: "pass" } } };
  writeFileSync(`${folder}/bad-capabilities.json`, JSON.stringify({ models: [{ ...model, capabilities }] }));
  const listed = { ...model?.capabilities, betas: { ...model?.capabilities.betas, "new-2027-01-01": aFlag } };
  writeFileSync(`${folder}/capabilities.json`, JSON.stringify({ models: [{ ...model, capabilities: listed }] }));
  writeFileSync(`${folder}/bad.json`, JSON.stringify({ models: [{ ...model, prices: [] }] }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function configWith(catalog?: string) {
  return stackConfig(await readStackConfig("Pulumi.dev.yaml", catalog ? { "archway:catalog": catalog } : {}));
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

test("a stack's own catalog replaces what models are known to take, and what is wrong in it stops the program", async () => {
  const [own] = stackCatalog(await configWith(`${folder}/capabilities.json`)).models;
  expect(own?.capabilities.betas["new-2027-01-01"]).toEqual(aFlag);
  const wrong = await configWith(`${folder}/bad-capabilities.json`);
  expect(() => stackCatalog(wrong)).toThrow(/archway:catalog: .*capabilities\.betas\.new-2027-01-01\.source/s);
});
