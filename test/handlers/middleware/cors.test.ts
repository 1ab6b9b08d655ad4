import { describe, expect, test } from "@jest/globals";
import middy from "@middy/core";
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from "aws-lambda";
import { cors } from "../../../handlers/middleware/cors.ts";

const origin = "https://console.example.com";

async function ask(method: string, headers: Record<string, string>) {
  let calls = 0;
  const handler = middy<APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2>()
    .use(cors([origin, "http://localhost:5173"]))
    .handler(async () => {
      calls += 1;
      return { statusCode: 200, headers: { etag: '"1"' } };
    });
  const event = { version: "2.0", headers, requestContext: { http: { method, path: "/" } } };
  const answer = await handler(event as unknown as APIGatewayProxyEventV2, {} as Context);
  return { ...answer, calls };
}

const preflight = { "access-control-request-method": "PATCH" };
const foreign = [
  "https://console.example.com.evil.test",
  "https://evil.test",
  "http://console.example.com",
  "https://console.example.com:8443",
  "https://sub.console.example.com",
  "null",
  "*",
  "",
];

describe("a question before a call", () => {
  test.each([origin, "http://localhost:5173"])(
    "a browser's preflight request from %s is answered with the allowed methods and headers",
    async (own) => {
      expect(await ask("OPTIONS", { ...preflight, origin: own })).toEqual({
        statusCode: 204,
        headers: {
          vary: "Origin",
          "access-control-allow-origin": own,
          "access-control-allow-methods": "GET, HEAD, POST, PUT, PATCH, DELETE",
          "access-control-allow-headers": "authorization, content-type, idempotency-key, if-match, if-none-match",
          "access-control-max-age": "7200",
        },
        calls: 0,
      });
    },
  );

  test.each(foreign)("a browser's preflight request from %p gets no permission", async (other) => {
    const answer = await ask("OPTIONS", { ...preflight, origin: other });
    expect(answer).toEqual({ statusCode: 204, headers: { vary: "Origin" }, calls: 0 });
  });

  test("a preflight request without the requested method is answered by the router", async () => {
    expect(await ask("OPTIONS", { origin })).toMatchObject({ calls: 1 });
  });
});

describe("an answer", () => {
  test("an answer to a known origin allows the page to read it, and the headers that it needs", async () => {
    expect((await ask("GET", { origin })).headers).toEqual({
      etag: '"1"',
      vary: "Origin",
      "access-control-allow-origin": origin,
      "access-control-expose-headers":
        "ETag, Location, Retry-After, request-id, x-should-retry, x-budget-reset, x-next-cursor",
    });
  });

  test.each(foreign)("an answer to the origin %p cannot be read by any page", async (other) => {
    expect((await ask("GET", { origin: other })).headers).toEqual({ etag: '"1"', vary: "Origin" });
  });

  test("an answer to a program, which sends no origin, is cached separately from a page's", async () => {
    expect((await ask("GET", {})).headers).toEqual({ etag: '"1"', vary: "Origin" });
  });
});
