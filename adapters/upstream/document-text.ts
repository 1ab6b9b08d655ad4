// Reads the text of an OpenAPI document: JSON or YAML. Nothing that the text names is fetched.
import { parse } from "yaml";

/** Aliases that are written out count as often as they are used; more than this is no description of an API. */
const mostAliases = 100;

/** @returns undefined if the text is neither */
export function readDocumentText(text: string): unknown {
  try {
    return text.trimStart().startsWith("{")
      ? JSON.parse(text)
      : parse(text, { maxAliasCount: mostAliases, logLevel: "error" });
  } catch {
    return undefined;
  }
}
