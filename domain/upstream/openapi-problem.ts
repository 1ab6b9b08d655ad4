// What can be wrong with an OpenAPI document, each with the place in it, and the refusal that lists it.
import { Refusal } from "../kernel/refusal.ts";

export type SpecProblemCode =
  | ("not_readable" | "too_large" | "too_deep" | "swagger_2" | "version_unsupported" | "not_valid")
  | ("external_reference" | "dangling_reference" | "circular_reference")
  | ("no_operations" | "too_many_operations" | "operation_id_missing" | "operation_id_duplicate" | "operation_id_long")
  | ("schema_composition" | "media_type_unsupported" | "path_invalid")
  | ("server_missing" | "server_invalid" | "server_not_public");

/** `path` leads from the document's top, e.g. `paths./pets.get.operationId`; it is empty for the whole document. */
export type SpecProblem = { code: SpecProblemCode; path: string; message: string };

/** A refusal of a thousand lines helps nobody. */
const mostShown = 20;

/** @param field of the request that holds or names the document */
export function specRefusal(field: string, problems: readonly SpecProblem[]): Refusal {
  const shown = problems.slice(0, mostShown).map(({ code, path, message }) => ({
    path: path === "" ? field : `${field}.${path.slice(0, 200)}`,
    message: `${message} (${code})`,
  }));
  const more = problems.length - shown.length;
  const text = shown.map(({ path, message }) => `${path}: ${message}`).join("; ");
  return new Refusal("invalid_request", more > 0 ? `${text}; and ${more} more` : text, { fields: shown });
}
