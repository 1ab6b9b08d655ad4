import { describe, expect, test } from "@jest/globals";
import { endToEnd, flatHeaders, type HttpRequest, lambdaEvent } from "../../lambda/event.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const source = { apiId: "api1", domainName: "api.example.com", routeKey: "$default", stage: "live" };

function eventOf(changes: Partial<HttpRequest> = {}) {
  const request = { method: "GET", url: "/", headers: {}, body: Buffer.alloc(0), sourceIp: "198.51.100.7", ...changes };
  return lambdaEvent(request, source, now);
}

describe("an event", () => {
  test("the event of a function URL says who requested what, where and when", () => {
    const event = eventOf({ method: "DELETE", url: "/v1/keys/1", headers: { "user-agent": "curl/8" } });
    expect(event).toEqual({
      version: "2.0",
      routeKey: "$default",
      rawPath: "/v1/keys/1",
      rawQueryString: "",
      headers: { "user-agent": "curl/8" },
      requestContext: {
        accountId: "000000000000",
        apiId: "api1",
        domainName: "api.example.com",
        domainPrefix: "api",
        http: {
          method: "DELETE",
          path: "/v1/keys/1",
          protocol: "HTTP/1.1",
          sourceIp: "198.51.100.7",
          userAgent: "curl/8",
        },
        requestId: expect.stringMatching(/^[\w-]{36}$/),
        routeKey: "$default",
        stage: "live",
        time: "Sat, 21 Nov 2026 05:00:00 GMT",
        timeEpoch: now,
      },
      isBase64Encoded: false,
    });
  });

  test("the event of a function URL has an id of its own", () => {
    expect(eventOf().requestContext.requestId).not.toBe(eventOf().requestContext.requestId);
  });

  test("the event of a function URL has the query as sent, and parsed: values of a repeated name are joined by commas", () => {
    const { rawPath, rawQueryString, queryStringParameters } = eventOf({ url: "/a%20b?x=1&y=a%26b&x=2&empty=" });
    expect([rawPath, rawQueryString]).toEqual(["/a%20b", "x=1&y=a%26b&x=2&empty="]);
    expect(queryStringParameters).toEqual({ x: "1,2", y: "a&b", empty: "" });
  });

  test("a second question mark belongs to the query in the event of a function URL", () => {
    expect(eventOf({ url: "/a?b=c?d" })).toMatchObject({ rawPath: "/a", queryStringParameters: { b: "c?d" } });
  });

  test("the event of a function URL lists cookies apart from the headers", () => {
    const { cookies, headers } = eventOf({ headers: { cookie: "a=1; b=2", accept: "*/*" } });
    expect([cookies, headers]).toEqual([["a=1", "b=2"], { accept: "*/*" }]);
  });
});

describe("a body", () => {
  const body = Buffer.from("é");

  test.each([
    "application/json",
    "application/json; charset=utf-8",
    "APPLICATION/JSON",
    "text/plain",
    "application/x-www-form-urlencoded",
    "application/problem+json",
    "image/svg+xml",
  ])("a body of type %s is text in a function's event", (type) => {
    expect(eventOf({ body, headers: { "content-type": type } })).toMatchObject({ body: "é", isBase64Encoded: false });
  });

  test.each(["application/octet-stream", "image/png", "multipart/form-data; boundary=text/json", undefined])(
    "a body of type %s is base64 in a function's event",
    (type) => {
      const headers: Record<string, string> = type === undefined ? {} : { "content-type": type };
      expect(eventOf({ body, headers })).toMatchObject({ body: "w6k=", isBase64Encoded: true });
    },
  );

  test("an empty body is missing in a function's event", () => {
    const event = eventOf({ headers: { "content-type": "application/octet-stream" } });
    expect([event.body, event.isBase64Encoded]).toEqual([undefined, false]);
  });
});

test("each header in a function's event is one string", () => {
  expect(flatHeaders({ a: "1", "set-cookie": ["x", "y"], none: undefined })).toEqual({ a: "1", "set-cookie": "x,y" });
});

test("headers that belong to one connection are not passed to a function, in any case of letters", () => {
  const headers = { Connection: "close", "transfer-encoding": "chunked", TE: "trailers", host: "a", "x-a": "b" };
  expect(endToEnd(headers)).toEqual({ host: "a", "x-a": "b" });
});
