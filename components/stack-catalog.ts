// The catalog of a stack with its aliases: the built-in catalog, or a JSON file of the stack that replaces it.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import catalogData from "#catalog";
import { bedrockProblems } from "../adapters/bedrock/catalog-facts.ts";
import { aliasProblems, type Catalog, parseCatalog, withAliases } from "../domain/catalog/catalog.ts";
import type { StackConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";

/** @throws ConfigError that says what is wrong with the file or with the aliases, before anything is built. */
export function stackCatalog({ catalog: file, aliases, messagesEndpoint }: StackConfig): Catalog {
  const catalog = withoutAliases(file);
  const unknown = messagesEndpoint.filter((name) => name !== "*" && !catalog.models.some(({ id }) => id === name));
  if (unknown.length > 0) {
    throw new ConfigError(unknown.map((name) => `archway:messagesEndpoint: the catalog has no model ${name}`));
  }
  const problems = aliasProblems(catalog, aliases);
  if (problems.length > 0) {
    throw new ConfigError(problems.map(([alias, problem]) => `archway:aliases.${alias}: ${problem}`));
  }
  return withAliases(catalog, aliases);
}

function withoutAliases(file: string | undefined): Catalog {
  if (file === undefined) return parseCatalog(catalogData);
  const catalog = ownCatalog(file);
  const problems = bedrockProblems(catalog);
  if (problems.length > 0) throw new ConfigError(problems.map((problem) => `archway:catalog: ${file}: ${problem}`));
  return catalog;
}

function ownCatalog(file: string): Catalog {
  try {
    return parseCatalog(JSON.parse(readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8")));
  } catch (error) {
    throw new ConfigError([`archway:catalog: ${file}: ${(error as Error).message}`]);
  }
}
