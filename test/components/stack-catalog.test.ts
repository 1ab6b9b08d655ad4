import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { bundleFiles } from "../../components/bundle.ts";
import { stackConfig } from "../../components/config.ts";
import { stackCatalog } from "../../components/stack-catalog.ts";
import { findModel } from "../../domain/catalog/catalog.ts";
import catalogData from "../../domain/catalog/catalog-data.ts";
import { localStackFile, readStackConfig } from "../../local/program/program.ts";

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
  const profiles = { "us-east-1": { geography: `eu.${model?.base_id}` } };
  const prices = [{ ...model?.prices[1], profiles: [profiles["us-east-1"].geography] }];
  writeFileSync(`${folder}/bad-profile.json`, JSON.stringify({ models: [{ ...model, profiles, prices }] }));
  writeFileSync(`${folder}/bad.json`, JSON.stringify({ models: [{ ...model, prices: [] }] }));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Without aliases, whose models a catalog of its own need not have. */
async function configWith(catalog?: string, aliases: object = {}) {
  const more = { "archway:aliases": JSON.stringify(aliases), ...(catalog && { "archway:catalog": catalog }) };
  return stackConfig(await readStackConfig(localStackFile, more));
}

test("a stack without its own catalog has the platform's catalog", async () => {
  expect(stackCatalog(await configWith()).models).toHaveLength(catalogData.models.length);
});

test("a stack's own catalog replaces the platform's, in the rights and in the bundles", async () => {
  const config = await configWith(`${folder}/one.json`);
  expect(stackCatalog(config).models.map(({ id }) => id)).toEqual(["only-model"]);
  const holdsIt = (catalog?: string) =>
    Object.values(bundleFiles("handlers/proxy/lambda.ts", catalog)).some((text) => text.includes("only-model"));
  expect([holdsIt(config.catalog), holdsIt()]).toEqual([true, false]);
});

test("a wrong catalog stops the program and names the key, the file and the problem", async () => {
  const config = await configWith(`${folder}/bad.json`);
  expect(() => stackCatalog(config)).toThrow(/archway:catalog: coverage\/stack-catalog\/bad\.json: .*prices/s);
  const abroad = await configWith(`${folder}/bad-profile.json`);
  expect(() => stackCatalog(abroad)).toThrow(
    /archway:catalog: .*bad-profile\.json: claude-.* of us-east-1 .*must be us\./,
  );
  const missing = await configWith("no-such.json");
  expect(() => stackCatalog(missing)).toThrow(/archway:catalog: no-such\.json/);
});

test("a stack's aliases are names for its models, and appear in no list", async () => {
  const catalog = stackCatalog(await configWith(undefined, { latest: "claude-opus-5-5" }));
  expect(findModel(catalog, "latest")?.id).toBe("claude-opus-5-5");
  expect(catalog.models.map(({ id }) => id)).toEqual(catalogData.models.map(({ id }) => id));
});

test("a model for the Messages endpoint is one of the catalog's, or all of them are", async () => {
  const config = await configWith();
  const asked = (...messagesEndpoint: string[]) => stackCatalog({ ...config, messagesEndpoint });
  expect(asked("*", "claude-opus-5-5").models.length).toBe(catalogData.models.length);
  expect(() => asked("claude-opus-9")).toThrow("archway:messagesEndpoint: the catalog has no model claude-opus-9");
});

test("every wrong alias stops the program and is named by its key", async () => {
  const config = await configWith(undefined, {
    latest: "claude-opus-9",
    "claude-opus-5": "claude-opus-5-5",
    "claude-haiku-4-5-20251001": "claude-haiku-5-5",
    newest: "latest",
    right: "claude-opus-5",
  });
  expect(() => stackCatalog(config)).toThrow(
    [
      '  archway:aliases.latest: there is no model "claude-opus-9"',
      "  archway:aliases.claude-opus-5: is already a name of claude-opus-5",
      "  archway:aliases.claude-haiku-4-5-20251001: is already a name of claude-haiku-4-5",
      '  archway:aliases.newest: there is no model "latest"',
    ].join("\n"),
  );
});

test("a stack's own catalog replaces what is known about its models' features, and a mistake in it stops the program", async () => {
  const [own] = stackCatalog(await configWith(`${folder}/capabilities.json`)).models;
  expect(own?.capabilities.betas["new-2027-01-01"]).toEqual(aFlag);
  const wrong = await configWith(`${folder}/bad-capabilities.json`);
  expect(() => stackCatalog(wrong)).toThrow(/archway:catalog: .*capabilities\.betas\.new-2027-01-01\.source/s);
});
