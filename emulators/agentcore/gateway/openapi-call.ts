// A call of an OpenAPI document's operation, with its answer as the result of a tool.

import type { OutboundCredential } from "./outbound-credential.ts";
import type { OpenApiOperation } from "./targets.ts";

export type ToolResult = { content: { type: "text"; text: string }[]; isError?: boolean; [member: string]: unknown };
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>;

/** The quota "invocation timeout" is 15 minutes, which nobody waits for on a laptop. */
const timeoutMs = 60_000;

/** An answer of status 400 and above is a result with `isError`, as AgentCore gives it. */
export async function callOperation(
  operation: OpenApiOperation,
  given: Record<string, unknown>,
  { headers, query }: OutboundCredential,
  fetch: Fetch,
): Promise<ToolResult> {
  const url = urlOf(operation, given);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const body = bodyOf(operation, given);
  const response = await fetch(url, {
    method: operation.method,
    headers: {
      accept: "application/json",
      ...(body !== undefined && { "content-type": operation.mediaType ?? "application/json" }),
      ...Object.fromEntries(argumentsIn("header", operation, given)),
      ...headers,
    },
    ...(body !== undefined && { body: written(body, operation) }),
    redirect: "manual",
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  if (response.ok) return { content: [{ type: "text", text }] };
  const failed = `OpenAPIClientException - HTTP ${response.status}: ${text}`;
  return { content: [{ type: "text", text: failed }], isError: true };
}

function urlOf(operation: OpenApiOperation, given: Record<string, unknown>): URL {
  const path = argumentsIn("path", operation, given).reduce(
    (url, [name, value]) => url.replaceAll(`{${name}}`, encodeURIComponent(value)),
    operation.url,
  );
  const url = new URL(path);
  for (const [name, value] of argumentsIn("query", operation, given)) url.searchParams.append(name, value);
  return url;
}

/** A list in the query is repeated by name: OpenAPI's default, and the only style that AgentCore supports. */
function argumentsIn(place: string, { parameters }: OpenApiOperation, given: Record<string, unknown>) {
  return parameters
    .filter(({ name, in: at }) => at === place && given[name] !== undefined)
    .flatMap(({ name }) => [given[name]].flat().map((value) => [name, String(value)] as const));
}

function written(body: unknown, { mediaType }: OpenApiOperation): string {
  if (mediaType !== "application/x-www-form-urlencoded") return JSON.stringify(body);
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body as Record<string, unknown>)) {
    for (const one of [value].flat()) form.append(name, String(one));
  }
  return form.toString();
}

function bodyOf({ body }: OpenApiOperation, given: Record<string, unknown>): unknown {
  if (body === undefined || body === "whole") return body && given.body;
  const members = body.filter((name) => given[name] !== undefined).map((name) => [name, given[name]]);
  return Object.fromEntries(members);
}
