// Rewrites an OpenAPI document into the one that AgentCore gets: the chosen operations, each with plain inputs, below one address. The new
// document is made of nothing that AgentCore does not take; what was lost is in the report.
import { record } from "../kernel/json.ts";
import type { SentSecret } from "../upstream/upstream-auth.ts";
import { baseAddress } from "./base-address.ts";
import { chosen, emptyEntry, type OperationChoice } from "./choice.ts";
import { operationsOf, placeOf, type SpecOperation, unreadPaths, wholeProblem } from "./document.ts";
import { inputsOf } from "./inputs.ts";
import { shortened } from "./plain-schema.ts";
import type { SpecProblem, SpecProblemCode } from "./problem.ts";
import type { RegisteredSpec } from "./registered-spec.ts";
import { type Loss, type OperationOutcome, reportOf } from "./report.ts";
import { type ToolNames, toolNames } from "./tool-names.ts";
import { Unsupported } from "./unsupported.ts";

/** A target's quotas: tools, and bytes of a schema given inline (bedrock-agentcore/latest/devguide/bedrock-agentcore-limits.html). */
const mostTools = 1_000;
export const mostToolBytes = 1_048_576;

/** Bytes of a tool's inputs, which a model reads with each question. */
const mostInputBytes = 16_384;

const longestDescription = 1_000;

/** Places that are visited in one operation's schemas. */
const mostPlaces = 20_000;

/** Levels of nesting that are tried, until the inputs are small enough. */
const depths = [7, 5, 4, 3, 2, 1];

export type Wishes = {
  choice?: OperationChoice | undefined;
  /** Address in place of the document's. */
  baseUrl?: string | undefined;
  /** The place of the credential in the gateway's calls. */
  credential?: SentSecret | undefined;
  /** Names of tools in the version before. */
  names: ToolNames;
  digest: (text: string) => string;
};

/** A problem, with the field of the request that it is about. */
export type Refused = SpecProblem & { field?: string };

/** @param document as JSON or YAML reads; Swagger 2 is OpenAPI 3 by now */
export function rewriteSpec(document: unknown, wishes: Wishes): RegisteredSpec | { problem: Refused } {
  const refused = (code: SpecProblemCode, message: string, field?: string) => ({
    problem: { code, path: field === undefined ? "paths" : "", message, ...(field !== undefined && { field }) },
  });
  const whole = wholeProblem(document);
  if (whole) return { problem: whole };
  const all = operationsOf(document);
  const unread = unreadPaths(document);
  if (all.length === 0 && unread.length === 0) return refused("no_operations", "must have at least one operation");
  const empty = emptyEntry(all, wishes.choice);
  if (empty) return refused("nothing_chosen", empty.message, empty.field);
  const operations = chosen(all, wishes.choice);
  if (operations.length === 0 && all.length > 0) {
    return refused("nothing_chosen", "fits no operation: an operation must be in each list", "operations");
  }
  const lost = unread.map(({ template, problem }) => ({
    operation: template,
    reason: problem.code,
    message: problem.message,
  }));
  if (operations.length === 0) return refused("nothing_offered", nothingOffered(lost));
  const base = baseAddress(document, operations, wishes.baseUrl);
  if ("problem" in base) return { problem: base.problem };

  const names = toolNames(operations, { kept: wishes.names, digest: wishes.digest });
  const results = operations.map((operation): Result => {
    if (!base.isOffered(operation)) return { outcome: left(operation, elsewhere) };
    return rewriteOperation(document, operation, names.get(placeOf(operation)) ?? "", wishes.credential);
  });
  const outcomes = [...results.map(({ outcome }) => outcome), ...(wishes.choice ? [] : lost)];
  const tools = results.flatMap(({ tool }) => tool ?? []);
  if (tools.length === 0) return refused("nothing_offered", nothingOffered(outcomes));
  if (tools.length > mostTools)
    return refused(
      "too_many_operations",
      `has ${tools.length} operations, and a gateway takes ${mostTools} of an API: ${choose}`,
    );
  const made = documentOf(document, base.url, tools);
  const bytes = Buffer.byteLength(JSON.stringify(made));
  if (bytes > mostToolBytes) {
    return refused(
      "tools_too_large",
      `makes tools of ${bytes} bytes, and a gateway takes ${mostToolBytes} of an API: ${choose}`,
    );
  }
  return { document: made, report: reportOf(outcomes, base.url, all.length - operations.length) };
}

const choose = "choose with operations";
const elsewhere = new Unsupported("other_server", "is at another server than the document's other operations");

const unread = new Unsupported("external_reference", "is a reference, which no operation may be");

type Tool = { template: string; method: string; operation: object };
type Result = { outcome: OperationOutcome; tool?: Tool };

function left(operation: SpecOperation, { code, message }: Unsupported): OperationOutcome {
  return { operation: placeOf(operation), reason: code, message };
}

function nothingOffered(outcomes: readonly OperationOutcome[]): string {
  const [first] = outcomes;
  const external = outcomes.every(({ reason }) => reason === "external_reference");
  const advice = external ? ". Send the document as one file, e.g. as `npx @redocly/cli bundle` writes it" : "";
  const because = first ? `: ${first.operation} ${first.message} (${first.reason})` : "";
  return `has no operation that can be offered${because}${advice}`;
}

function rewriteOperation(
  document: unknown,
  operation: SpecOperation,
  name: string,
  credential: SentSecret | undefined,
): Result {
  try {
    requireCallable(operation);
    if (operation.operation.$ref !== undefined) throw unread;
    const { inputs, losses } = boundedInputs(document, operation, credential);
    const description = descriptionOf(operation, losses);
    const made = { operationId: name, ...(description !== "" && { description }), ...inputs, responses };
    return {
      outcome: { operation: placeOf(operation), tool: name, ...(losses.length > 0 && { losses }) },
      tool: { template: operation.template, method: operation.method, operation: made },
    };
  } catch (error) {
    if (error instanceof Unsupported) return { outcome: left(operation, error) };
    throw error;
  }
}

/** A document needs answers; tools say nothing of them. */
const responses = { default: { description: "The API's answer" } };

/** The inputs, with less nesting where they would be too large otherwise. */
function boundedInputs(document: unknown, operation: SpecOperation, credential: SentSecret | undefined) {
  for (const deepest of depths) {
    const losses: Loss[] = [];
    const lose = (code: Loss["code"], at: string, message: string) => {
      losses.push({ code, at: shortened(at, 200), message });
    };
    try {
      const left = { places: mostPlaces };
      const inputs = inputsOf({ document, deepest, left, lose, credential }, operation);
      if (Buffer.byteLength(JSON.stringify(inputs)) <= mostInputBytes) return { inputs, losses };
    } catch (error) {
      if (!(error instanceof Unsupported) || error.code !== "too_large") throw error;
    }
  }
  throw new Unsupported("too_large", `has inputs of more than ${mostInputBytes} bytes`);
}

/** A segment `.` or `..`, as readers of addresses find it. */
const dots = /[/\\](\.|%2e){1,2}([/\\?#]|$)/i;

/**
 * A path is written behind the address: one that does not begin with a slash would name another host, and one with dots would leave the
 * address's own path.
 * @throws Unsupported
 */
function requireCallable({ method, template }: SpecOperation): void {
  if (method === "trace") throw new Unsupported("method", "has the method TRACE");
  const isAstray = !/^\/(?![/\\])/.test(template) || dots.test(template) || /[?#\\\s]/.test(template);
  if (isAstray) {
    throw new Unsupported(
      "path_invalid",
      "has a path that does not begin with one slash, or has dots, a query or a fragment",
    );
  }
}

/** The operation's own description, and a note on the differences of its tool. */
function descriptionOf({ operation }: SpecOperation, losses: readonly Loss[]): string {
  const { summary, description, deprecated } = operation;
  const texts = [deprecated === true && "Deprecated.", summary, description !== summary && description];
  const said = texts.filter((text): text is string => typeof text === "string" && text !== "").join("\n\n");
  const told = losses.filter(({ code }) => code !== "left_out").slice(0, 5);
  const notes = told.map(({ at, message }) => `${at} ${message}.`).join(" ");
  return [shortened(said, longestDescription), notes && `Note: ${notes}`].filter((text) => text !== "").join("\n\n");
}

function documentOf(document: unknown, url: string, tools: readonly Tool[]): Record<string, unknown> {
  const { title, version } = record(record(document).info);
  const paths = new Map<string, Record<string, object>>();
  for (const { template, method, operation } of tools) {
    paths.set(template, { ...paths.get(template), [method]: operation });
  }
  return {
    openapi: "3.0.3",
    info: { title: shortened(String(title ?? "API"), 200), version: shortened(String(version ?? "1"), 50) },
    servers: [{ url }],
    paths: Object.fromEntries(paths),
  };
}
