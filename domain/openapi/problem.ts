// The reasons why an OpenAPI document is refused as a whole, each with its place, and the refusal that lists them.
import { Refusal } from "../kernel/refusal.ts";

export type SpecProblemCode =
  | ("not_readable" | "too_large" | "too_deep" | "version_unsupported")
  | ("no_operations" | "nothing_chosen" | "nothing_offered" | "too_many_operations" | "tools_too_large")
  | ("server_missing" | "server_invalid" | "server_not_public");

/** `path` leads from the document's top, e.g. `servers.0.url`; it is empty for the whole document. */
export type SpecProblem = { code: SpecProblemCode; path: string; message: string };

/** @param field of the request that holds or names the document */
export function specRefusal(field: string, problems: readonly SpecProblem[]): Refusal {
  const shown = problems.map(({ code, path, message }) => ({
    path: path === "" ? field : `${field}.${path.slice(0, 200)}`,
    message: `${message} (${code})`,
  }));
  return new Refusal("invalid_request", shown.map(({ path, message }) => `${path}: ${message}`).join("; "), {
    fields: shown,
  });
}
