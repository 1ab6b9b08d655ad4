// The event in payload format 2.0 that HTTP APIs and function URLs give a function, from an HTTP request.
import { randomUUID } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import { accountId } from "../aws/account.ts";

/** A request that one virtual host hands to the next. */
export type HttpRequest = {
  method: string;
  /** Path and query as sent. */
  url: string;
  /** Lower-case names. */
  headers: Record<string, string>;
  body: Buffer;
  sourceIp: string;
};

export type EventSource = { apiId: string; domainName: string; routeKey: string; stage: string };

/** Bodies of these types are passed as text, all others in base64, and so is each body that is compressed. */
const textTypes = /^(text\/|application\/(json|javascript|xml|x-www-form-urlencoded)|[^;]*\+(json|xml))/i;

export function lambdaEvent(request: HttpRequest, source: EventSource, now: number) {
  const [path = "/", query = ""] = splitUrl(request.url);
  const { "content-type": type = "", "content-encoding": encoding } = request.headers;
  const isText = request.body.length === 0 || (encoding === undefined && textTypes.test(type));
  const { cookie, ...headers } = request.headers;
  const parameters = new URLSearchParams(query);
  return {
    version: "2.0",
    routeKey: source.routeKey,
    rawPath: path,
    rawQueryString: query,
    ...(cookie && { cookies: cookie.split(/;\s*/) }),
    headers,
    ...(query && { queryStringParameters: joined(parameters) }),
    requestContext: {
      accountId,
      apiId: source.apiId,
      domainName: source.domainName,
      domainPrefix: source.domainName.split(".")[0],
      http: {
        method: request.method,
        path,
        protocol: "HTTP/1.1",
        sourceIp: request.sourceIp,
        userAgent: request.headers["user-agent"] ?? "",
      },
      requestId: randomUUID(),
      routeKey: source.routeKey,
      stage: source.stage,
      time: new Date(now).toUTCString(),
      timeEpoch: now,
    },
    ...(request.body.length > 0 && { body: request.body.toString(isText ? "utf8" : "base64") }),
    isBase64Encoded: !isText,
  };
}

/** The path and the query of an address, both as sent. */
export function splitUrl(url: string): [path: string, query: string] {
  const at = url.indexOf("?");
  return at < 0 ? [url, ""] : [url.slice(0, at), url.slice(at + 1)];
}

/** Values of one name are joined by commas, as AWS does. */
function joined(parameters: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...new Set(parameters.keys())].map((name) => [name, parameters.getAll(name).join(",")]));
}

/** The headers of a request as one string each. Repeated headers are joined by commas. */
export function flatHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, Array.isArray(value) ? value.join(",") : value]],
    ),
  );
}

/** Headers that belong to one connection and are not passed on (RFC 9110, 7.6.1). */
const hopByHop = new Set([
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-authorization",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
]);

/** Headers that a server in between passes on. `close` passed on would end a connection that its agent means to use again. */
export function endToEnd<H extends IncomingHttpHeaders>(headers: H): H {
  return Object.fromEntries(Object.entries(headers).filter(([name]) => !hopByHop.has(name.toLowerCase()))) as H;
}
