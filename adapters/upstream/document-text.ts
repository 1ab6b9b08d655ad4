// Reads the text of an OpenAPI document: JSON or YAML, and Swagger 2 as the OpenAPI 3.0 that says the same. Nothing that the text names is
// fetched.
import { upgradeFromTwoToThree } from "@scalar/openapi-upgrader/2.0-to-3.0";
import { CORE_SCHEMA, load, YAMLException } from "js-yaml";
import { mostDocumentBytes, type ReadDocument } from "../../domain/openapi/document.ts";
import { sizeOf } from "../../domain/openapi/json-size.ts";

export function readDocumentText(text: string): ReadDocument {
  // A byte order mark is no part of either language.
  const given = text.replace(/^\uFEFF/, "");
  try {
    const document = given.trimStart().startsWith("{") ? JSON.parse(given) : load(given, { schema: CORE_SCHEMA });
    return { document: isSwagger(document) ? converted(document) : document };
  } catch (error) {
    return { problem: problemOf(error) };
  }
}

function isSwagger(document: unknown): document is Record<string, unknown> {
  return typeof document === "object" && document !== null && "swagger" in document && document.swagger === "2.0";
}

/**
 * The OpenAPI document that says the same. A document that is too large or contains itself stays as it is, and is refused by its size: the
 * converter writes aliases of YAML out.
 */
function converted(document: Record<string, unknown>): unknown {
  return sizeOf(document, mostDocumentBytes) === "fits" ? upgradeFromTwoToThree(document) : document;
}

/** The kind of the error and its place. The parser of JSON also quotes the text, which may be long. */
function problemOf(error: unknown): string {
  if (error instanceof YAMLException) {
    const { line, column } = error.mark;
    return `is neither JSON nor YAML: ${error.reason} at line ${line + 1}, column ${column + 1}`;
  }
  const [place] = /line \d+ column \d+/.exec((error as Error).message) ?? [];
  return `is not JSON${place === undefined ? "" : `: error at ${place.replace(" column", ", column")}`}`;
}
