// The catalog of a stack: the platform's own, or a JSON file of the stack's that takes its place.
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import catalogData from "#catalog";
import { type Catalog, parseCatalog } from "../domain/catalog/catalog.ts";
import type { StackConfig } from "./config.ts";
import { ConfigError } from "./config-error.ts";

/** @throws ConfigError that says what is wrong with the file, before anything is built. */
export function stackCatalog({ catalog: file }: StackConfig): Catalog {
  if (file === undefined) return parseCatalog(catalogData);
  try {
    return parseCatalog(JSON.parse(readFileSync(fileURLToPath(new URL(`../${file}`, import.meta.url)), "utf8")));
  } catch (error) {
    throw new ConfigError([`archway:catalog: ${file}: ${(error as Error).message}`]);
  }
}
