// Judges an OpenAPI document before AgentCore gets it: what AgentCore would refuse is named here, with its place. What it takes is at
// docs.aws.amazon.com/bedrock-agentcore/latest/devguide/gateway-schema-openapi.html ("Key considerations and limitations").
import { list, record } from "../kernel/json.ts";
import { sizeOf } from "./json-size.ts";
import { inputProblems } from "./openapi-inputs.ts";
import type { SpecProblem } from "./openapi-problem.ts";
import { externalReferences } from "./openapi-references.ts";
import { hostOf, upstreamUrlProblem } from "./upstream-url.ts";

/** A target's quotas: tools, and bytes of a schema given inline (bedrock-agentcore/latest/devguide/bedrock-agentcore-limits.html). */
const mostOperations = 1_000;
export const mostSpecBytes = 1_048_576;

/** The gateway takes 256 characters in all, the target's name and the separator included. */
const longestOperationId = 128;

const methods = ["get", "put", "post", "delete", "options", "head", "patch", "trace"];

export type ApiOperation = { name: string; method: string; path: string; hasParameters: boolean };

export type JudgedSpec = {
  problems: SpecProblem[];
  /** The operations that become tools, each under its operation id. */
  operations: ApiOperation[];
  /** Addresses that the operations call. */
  servers: string[];
};

/** @param document as JSON or YAML reads */
export function judgeSpec(document: unknown): JudgedSpec {
  const none = { operations: [], servers: [] };
  const whole = wholeProblem(document);
  if (whole) return { problems: [whole], ...none };
  const external = externalReferences(document);
  if (external.length > 0) return { problems: external, ...none };

  const found = operationsOf(document);
  if (found.length > mostOperations) {
    const message = `has ${found.length} operations; a target takes at most ${mostOperations}`;
    return { problems: [{ code: "too_many_operations", path: "paths", message }], ...none };
  }
  const servers = serversOf(document, found);
  const problems = [
    ...(found.length === 0
      ? [{ code: "no_operations", path: "paths", message: "must have at least one operation" } as const]
      : []),
    ...pathProblems(document, found),
    ...idProblems(found),
    ...servers.flatMap(({ problem }) => problem ?? []),
    ...inputProblems(document, found),
  ];
  return {
    problems,
    operations: found.map(({ id, method, template, operation }) => ({
      name: String(id),
      method,
      path: template,
      hasParameters: list(operation.parameters).length > 0 || operation.requestBody !== undefined,
    })),
    servers: [...new Set(servers.flatMap(({ url }) => url ?? []))],
  };
}

/** The hosts that a judged document's operations call. */
export function documentHosts(document: unknown): string[] {
  const servers = serversOf(document, operationsOf(document));
  return [...new Set(servers.flatMap(({ url }) => (url === undefined ? [] : hostOf(new URL(url)))))];
}

function wholeProblem(document: unknown): SpecProblem | undefined {
  const problem = (code: SpecProblem["code"], message: string, path = "") => ({ code, path, message });
  if (typeof document !== "object" || document === null || Array.isArray(document)) {
    return problem("not_readable", "must be an OpenAPI document: an object with openapi, info and paths");
  }
  const size = sizeOf(document, mostSpecBytes);
  if (size === "too_large") return problem("too_large", `must have at most ${mostSpecBytes} bytes`);
  if (size === "too_deep") return problem("too_deep", "is nested too deeply, or contains itself");
  const { openapi, swagger } = record(document);
  if (swagger !== undefined) {
    return problem("swagger_2", "is Swagger 2; convert it to OpenAPI 3.0 or 3.1", "swagger");
  }
  if (typeof openapi === "string" && /^3\.[01](\.|$)/.test(openapi)) return undefined;
  return problem("version_unsupported", 'must be 3.0 or 3.1, and a text such as "3.1.0"', "openapi");
}

/** An operation of the document. */
export type SpecOperation = {
  method: string;
  /** The path's template, e.g. `/pets/{id}`. */
  template: string;
  /** The place in the document, e.g. `paths./pets/{id}.get`. */
  at: string;
  id: unknown;
  operation: Record<string, unknown>;
  pathItem: Record<string, unknown>;
};

function operationsOf(document: unknown): SpecOperation[] {
  return Object.entries(record(record(document).paths)).flatMap(([template, item]) => {
    const pathItem = record(item);
    return methods.flatMap((method) => {
      if (pathItem[method] === undefined) return [];
      const operation = record(pathItem[method]);
      const id = operation.operationId;
      return [{ method, template, at: `paths.${template}.${method}`, id, operation, pathItem }];
    });
  });
}

/**
 * A path is written behind a server's address, so that one which does not begin with a slash would name another host, and one with dots
 * would leave the server's own path. References to other path items are not followed.
 */
function pathProblems(document: unknown, operations: readonly SpecOperation[]): SpecProblem[] {
  const problem = (path: string, message: string) => ({
    code: "path_invalid" as const,
    path: `paths.${path}`,
    message,
  });
  const items = Object.entries(record(record(document).paths));
  const references = items.filter(([, item]) => record(item).$ref !== undefined);
  const templates = [...new Set(operations.map(({ template }) => template))];
  const astray = templates.filter((template) => !/^\/(?![/\\])/.test(template) || dots.test(template));
  return [
    ...references.map(([template]) => problem(`${template}.$ref`, "is not followed: write the operations here")),
    ...astray.map((template) => problem(template, "must begin with one slash and have no segments of dots")),
  ];
}

/** A segment `.` or `..`, as readers of addresses find it. */
const dots = /[/\\](\.|%2e){1,2}([/\\?#]|$)/i;

function idProblems(operations: readonly SpecOperation[]): SpecProblem[] {
  const seen = new Map<unknown, string>();
  return operations.flatMap(({ id, at }): SpecProblem[] => {
    const path = `${at}.operationId`;
    if (typeof id !== "string" || id === "") {
      return [{ code: "operation_id_missing", path, message: "is required: it becomes the tool's name" }];
    }
    if (id.length > longestOperationId) {
      return [{ code: "operation_id_long", path, message: `must have at most ${longestOperationId} characters` }];
    }
    const first = seen.get(id);
    seen.set(id, at);
    if (first === undefined) return [];
    return [{ code: "operation_id_duplicate", path, message: `is that of ${first} too; each needs its own` }];
  });
}

type Server = { url?: string; problem?: SpecProblem };

/** The servers of the document, of its paths and of its operations: each of them may be called. */
function serversOf(document: unknown, operations: readonly SpecOperation[]): Server[] {
  const top = list(record(document).servers);
  const places = new Map([
    ["servers", top],
    ...operations.flatMap(({ at, operation, pathItem, template }) => [
      [`paths.${template}.servers`, list(pathItem.servers)] as const,
      [`${at}.servers`, list(operation.servers)] as const,
    ]),
  ]);
  const missing = top.length === 0 && operations.some(({ operation, pathItem }) => !hasServer(operation, pathItem));
  const judged = [...places].flatMap(([at, servers]) =>
    servers.map((server, place): Server => {
      const { url } = record(server);
      const path = `${at}.${place}.url`;
      const problem = typeof url === "string" ? upstreamUrlProblem(url) : "is required";
      if (problem === undefined) return { url: String(url) };
      return { problem: { code: "server_invalid", path, message: problem } };
    }),
  );
  const message = "must name the API's address: { url: https://... }";
  return missing ? [{ problem: { code: "server_missing", path: "servers", message } }, ...judged] : judged;
}

function hasServer(operation: Record<string, unknown>, pathItem: Record<string, unknown>): boolean {
  return list(operation.servers).length > 0 || list(pathItem.servers).length > 0;
}
