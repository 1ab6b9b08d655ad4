// Reads an HTTP request as its route describes it: parameters, query, body, Idempotency-Key, If-Match, If-None-Match. A refusal names the wrong part.
import { fieldRefusal, type Refusal } from "../../../domain/kernel/refusal.ts";
import { fields, parseRequest } from "../../../domain/kernel/validation.ts";
import type { ObservedEvent } from "../../middleware/observe.ts";
import { ownCursor } from "./cursor.ts";
import type { Route } from "./route.ts";

const usualBodyBytes = 256 * 1024;
/**
 * Parameters become parts of keys in the table. DynamoDB allows 2,048 bytes of UTF-8 in a partition key and 1,024 in a sort key. A
 * UTF-16 unit has at most three bytes, so 255 of them leave room for the rest of a key.
 */
const maxParameterLength = 255;
const noQuery = fields({});

/**
 * Decodes the parameters of the path, which Middy's router leaves percent-encoded.
 * @throws Refusal invalid_request.
 */
export function readParameters({ pathParameters }: ObservedEvent): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pathParameters ?? {}).map(([name, value]) => {
      // The router's name for a parameter that may have slashes.
      const own = name === "proxy" ? "path" : name;
      return [own, decoded(own, value ?? "")];
    }),
  );
}

function decoded(name: string, encoded: string): string {
  try {
    const value = decodeURIComponent(encoded);
    if (value.length <= maxParameterLength) return value;
  } catch {
    throw invalid(name, `is not percent-encoded correctly`);
  }
  throw invalid(name, `must have at most ${maxParameterLength} characters`);
}

/** @throws Refusal invalid_request or request_too_large. */
export function readRequest(
  event: ObservedEvent,
  route: Pick<Route, "method" | "path" | "query" | "body" | "maxBodyBytes" | "csv">,
) {
  const format = formatOf(event, route);
  const given = route.body && bodyOf(event, route.maxBodyBytes);
  const asked = event.queryStringParameters ?? {};
  const cursor = route.query && asked.cursor;
  // The format is part of the query, because pages of CSV may be longer.
  const query = {
    ...asked,
    ...(cursor !== undefined && { cursor: ownCursor(route, cursor) }),
    ...(format === "csv" && { format }),
  };
  return {
    format,
    query: parseRequest(route.query ?? noQuery, query, "query"),
    body: route.body && parseRequest(route.body.schema, given, "body"),
    /** The body as it came, without defaults. */
    given,
    idempotencyKey: idempotencyKeyOf(event),
    ifMatch: tagsOf(event, "if-match")?.filter(isStrong).map(tagText),
    ifNoneMatch: ifNoneMatchOf(event),
  };
}

export type Format = "json" | "csv";

/** The query takes precedence over the header, because a link in a browser cannot set headers. */
function formatOf({ queryStringParameters, headers }: ObservedEvent, { csv }: Pick<Route, "csv">): Format {
  if (!csv) return "json";
  const asked = queryStringParameters?.format;
  if (asked !== undefined) return asked === "csv" ? "csv" : "json";
  return /^\s*text\/csv\b/i.test(headers.accept ?? "") ? "csv" : "json";
}

function bodyOf(event: ObservedEvent, maxBodyBytes = usualBodyBytes): unknown {
  const bytes = Buffer.from(event.body ?? "", event.isBase64Encoded ? "base64" : "utf8");
  if (bytes.length > maxBodyBytes) {
    throw fieldRefusal("request_too_large", "body", `has ${bytes.length} bytes, at most ${maxBodyBytes} are allowed`);
  }
  const type = event.headers["content-type"];
  if (!/^application\/json\s*(;|$)/i.test(type ?? "")) {
    throw invalid("content-type", `must be application/json${type ? `, not ${type}` : ""}`);
  }
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch {
    throw invalid("body", "is not valid JSON");
  }
}

function idempotencyKeyOf({ headers }: ObservedEvent): string | undefined {
  const key = headers["idempotency-key"];
  if (key === undefined || /^[\x21-\x7e]{1,255}$/.test(key)) return key;
  throw invalid("idempotency-key", "must be 1 to 255 visible ASCII characters");
}

/**
 * The tags of the answers that the caller has, without `W/` (RFC 9110, section 13.1.2); `*` for any, undefined for none.
 * @throws Refusal invalid_request for a change, which names the version that it expects with If-Match.
 */
function ifNoneMatchOf({ headers, requestContext }: ObservedEvent): readonly string[] | "*" | undefined {
  if (headers["if-none-match"] === undefined) return undefined;
  const { method } = requestContext.http;
  if (method !== "GET" && method !== "HEAD") throw invalid("if-none-match", "is for GET; name a version with If-Match");
  return tagsOf({ headers }, "if-none-match")?.map(tagText) ?? "*";
}

/** Reads `"1", "2"`; undefined for `*` and without the header. */
function tagsOf({ headers }: Pick<ObservedEvent, "headers">, name: "if-match" | "if-none-match"): string[] | undefined {
  const text = headers[name]?.trim();
  if (text === undefined || text === "*") return undefined;
  // A pattern with blanks on both sides of the comma takes the square of their number.
  const tags = text.split(",").map((tag) => tag.trim());
  if (tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e]{0,100}"$/.test(tag))) return tags;
  throw invalid(name, 'must be the ETag of an answer, e.g. "3"');
}

/** A weak tag matches nothing in If-Match (RFC 9110, section 13.1.1). */
function isStrong(tag: string): boolean {
  return tag.startsWith('"');
}

function tagText(tag: string): string {
  return tag.replace(/^W\//, "").slice(1, -1);
}

function invalid(part: string, message: string): Refusal {
  return fieldRefusal("invalid_request", part, message);
}
