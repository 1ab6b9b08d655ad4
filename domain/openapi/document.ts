// An OpenAPI document as a whole, and the operations in it.
import { list, record } from "../kernel/json.ts";
import { sizeOf } from "./json-size.ts";
import type { SpecProblem, SpecProblemCode } from "./problem.ts";
import { follow } from "./references.ts";
import { Unsupported } from "./unsupported.ts";

/** Bytes of a document as it is uploaded. GitHub's own has 13 million. */
export const mostDocumentBytes = 20_971_520;

export const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"] as const;

/** A text read as JSON or YAML, or why it is neither. */
export type ReadDocument = { document: unknown } | { problem: string };

/** An operation of the document. */
export type SpecOperation = {
  method: (typeof methods)[number];
  /** The path's template, e.g. `/pets/{id}`. */
  template: string;
  operation: Record<string, unknown>;
  pathItem: Record<string, unknown>;
};

/** Says why the document is refused before anything is looked for in it; undefined if it is a document of a known version. */
export function wholeProblem(document: unknown): SpecProblem | undefined {
  const problem = (code: SpecProblemCode, message: string, path = "") => ({ code, path, message });
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    return problem("not_readable", "must be an OpenAPI document: an object with openapi, info and paths");
  }
  const size = sizeOf(document, mostDocumentBytes);
  if (size === "too_large") return problem("too_large", `must have at most ${mostDocumentBytes} bytes`);
  if (size === "too_deep") return problem("too_deep", "is nested too deeply, or contains itself");
  const { openapi } = record(document);
  if (typeof openapi === "string" && /^3\.[01](\.|$)/.test(openapi)) return undefined;
  return problem(
    "version_unsupported",
    'must be a text such as "3.1.0": OpenAPI 3.0, 3.1 and Swagger 2.0 are read',
    "openapi",
  );
}

/** The operations in the document's order. A path item that is a reference stands for the operations there. */
export function operationsOf(document: unknown): SpecOperation[] {
  return Object.entries(record(record(document).paths)).flatMap(([template, item]) => {
    const pathItem = pathItemOf(document, item);
    return methods.flatMap((method) => {
      const operation = pathItem[method];
      if (operation === undefined) return [];
      return [{ method, template, operation: record(operation), pathItem }];
    });
  });
}

function pathItemOf(document: unknown, item: unknown): Record<string, unknown> {
  try {
    return follow(document, item)?.value ?? {};
  } catch (error) {
    if (!(error instanceof Unsupported)) throw error;
    return {};
  }
}

/** Paths whose operations are in another document or missing. */
export function unreadPaths(document: unknown): { template: string; problem: Unsupported }[] {
  return Object.entries(record(record(document).paths)).flatMap(([template, item]) => {
    try {
      follow(document, item);
      return [];
    } catch (error) {
      if (!(error instanceof Unsupported)) throw error;
      return [{ template, problem: error }];
    }
  });
}

/** The tags by which an operation is grouped. */
export function tagsOf({ operation }: SpecOperation): string[] {
  return list(operation.tags).filter((tag): tag is string => typeof tag === "string");
}

/** The operation as people name it, e.g. `GET /pets/{id}`. */
export function placeOf({ method, template }: Pick<SpecOperation, "method" | "template">): string {
  return `${method.toUpperCase()} ${template}`;
}
