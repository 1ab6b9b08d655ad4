// Reads an HTTP request as its route says: parameters, query, body, Idempotency-Key. Each mistake is refused by the name of the part.
import { fieldRefusal, type Refusal } from "../../../domain/kernel/refusal.ts";
import { fields, parseRequest } from "../../../domain/kernel/validation.ts";
import type { ObservedEvent } from "../../middleware/observe.ts";
import type { Route } from "./route.ts";

const maxBodyBytes = 256 * 1024;
/**
 * Parameters become parts of the table's keys: DynamoDB takes 2,048 bytes of UTF-8 for the partition key and 1,024 for the sort key.
 * A character (UTF-16 unit) has three bytes at the most, which leaves room for the rest of a key.
 */
const maxParameterLength = 255;
const noQuery = fields({});

/**
 * Parameters of the path, decoded; Middy's router gives them as they are in it, percent-encoded.
 * @throws Refusal invalid_request.
 */
export function readParameters({ pathParameters }: ObservedEvent): Record<string, string> {
  return Object.fromEntries(
    Object.entries(pathParameters ?? {}).map(([name, value]) => [name, decoded(name, value ?? "")]),
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
export function readRequest(event: ObservedEvent, route: Pick<Route, "query" | "body" | "csv">) {
  const format = formatOf(event, route);
  // Where CSV is served, the operation knows too what its rows are for.
  const query = { ...event.queryStringParameters, ...(format === "csv" && { format }) };
  return {
    format,
    query: parseRequest(route.query ?? noQuery, query, "query"),
    body: route.body && parseRequest(route.body, bodyOf(event), "body"),
    idempotencyKey: idempotencyKeyOf(event),
    ifMatch: ifMatchOf(event),
  };
}

export type Format = "json" | "csv";

/** The query wins over the header, which a browser's link cannot set. */
function formatOf({ queryStringParameters, headers }: ObservedEvent, { csv }: Pick<Route, "csv">): Format {
  if (!csv) return "json";
  const asked = queryStringParameters?.format;
  if (asked !== undefined) return asked === "csv" ? "csv" : "json";
  return /^\s*text\/csv\b/i.test(headers.accept ?? "") ? "csv" : "json";
}

function bodyOf(event: ObservedEvent): unknown {
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

/** Of `"1", "2"`; a weak one matches nothing (RFC 9110, section 13.1.1). */
function ifMatchOf({ headers }: ObservedEvent): readonly string[] | undefined {
  const text = headers["if-match"]?.trim();
  if (text === undefined || text === "*") return undefined;
  const tags = text.split(/\s*,\s*/);
  if (!tags.every((tag) => /^(W\/)?"[\x21\x23-\x7e]{0,100}"$/.test(tag))) {
    throw invalid("if-match", 'must be the ETag of an answer, e.g. "3"');
  }
  return tags.filter((tag) => tag.startsWith('"')).map((tag) => tag.slice(1, -1));
}

function invalid(part: string, message: string): Refusal {
  return fieldRefusal("invalid_request", part, message);
}
