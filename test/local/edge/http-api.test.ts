import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { FunctionError } from "../../../emulators/lambda/instance.ts";
import type { LocalFunction } from "../../../emulators/lambda/local-function.ts";
import { type DeclaredResource, Resources } from "../../../emulators/pulumi/resources.ts";
import { declared } from "../../../emulators/test/support/declared-iam.ts";
import { Edge } from "../../../local/edge/edge.ts";
import { HttpApi } from "../../../local/edge/http-api.ts";

const now = Date.parse("2026-11-21T05:00:00.000Z");
const functionArn = "arn:aws:lambda:eu-central-1:000000000000:function:control";

/** The events that the function got. */
// biome-ignore lint/suspicious/noExplicitAny: tests read into it
let events: any[];
/** The function's result. */
let play: () => Promise<unknown>;
let edge: Edge | undefined;
beforeEach(() => {
  events = [];
  play = async () => ({ statusCode: 204 });
});
afterEach(async () => {
  jest.useRealTimers();
  await edge?.close();
  edge = undefined;
});

const mapping = declared("aws:apigatewayv2/apiMapping:ApiMapping", "api", {
  apiId: "api1",
  stage: "$default",
  domainName: "api.localhost",
});
const aRoute = (changes: object = {}) =>
  declared("aws:apigatewayv2/route:Route", "default", {
    apiId: "api1",
    routeKey: "$default",
    target: "integrations/int1",
    ...changes,
  });
const anIntegration = (changes: object = {}) =>
  declared(
    "aws:apigatewayv2/integration:Integration",
    "control",
    { apiId: "api1", payloadFormatVersion: "2.0", integrationUri: functionArn, ...changes },
    { id: "int1" },
  );

function anApi(resources: DeclaredResource[] = [aRoute(), anIntegration()]): HttpApi {
  const target = {
    invoke: async (event: unknown) => {
      events.push(event);
      return play();
    },
  } as unknown as LocalFunction;
  return new HttpApi(
    mapping,
    new Resources(resources),
    (arn) => {
      expect(arn).toBe(functionArn);
      return target;
    },
    () => now,
    () => "http://127.0.0.1:1",
  );
}

async function ask(path = "/v1/me", init: RequestInit = {}): Promise<Response> {
  edge = new Edge("localhost", [anApi()]);
  return fetch(`http://127.0.0.1:${await edge.listen(0)}/@api${path}`, init);
}

test("an HTTP API answers only at the host that is mapped to it", () => {
  const api = anApi();
  expect(["api.localhost", "x.api.localhost", "localhost"].map((host) => api.matches(host))).toEqual([
    true,
    false,
    false,
  ]);
});

test("a function at the HTTP API gets the request in payload format 2.0, with the API's own facts", async () => {
  await ask("/v1/tenants?limit=1", { method: "POST", headers: { "content-type": "application/json" }, body: "{}" });
  expect(events).toMatchObject([
    {
      version: "2.0",
      routeKey: "$default",
      rawPath: "/v1/tenants",
      queryStringParameters: { limit: "1" },
      body: "{}",
      requestContext: { apiId: "api1", stage: "$default", domainName: "api.localhost", timeEpoch: now },
    },
  ]);
});

describe("the function's result", () => {
  test("a discovery document through the HTTP API names the platform's hosts by their local addresses", async () => {
    const body = JSON.stringify({
      a: "https://auth.localhost/x",
      b: "https://{slug}.proxy.localhost",
      c: "https://aws.com",
    });
    play = async () => ({ statusCode: 200, body });
    const response = await ask("/.well-known/archway.json");
    const origin = new URL(response.url).origin;
    expect(await response.json()).toEqual({
      a: `${origin}/@auth/x`,
      b: `${origin}/@{slug}.proxy`,
      c: "https://aws.com",
    });
  });

  test("a function's result at the HTTP API is the answer, with its status, headers and cookies", async () => {
    play = async () => ({ statusCode: 201, headers: { "request-id": "1" }, cookies: ["a=1", "b=2"], body: "é" });
    const response = await ask();
    expect([response.status, await response.text()]).toEqual([201, "é"]);
    expect(response.headers.get("request-id")).toBe("1");
    expect(response.headers.get("content-length")).toBe("2");
    expect(response.headers.getSetCookie()).toEqual(["a=1", "b=2"]);
  });

  test("a function's result at the HTTP API can have its body in base64", async () => {
    play = async () => ({ statusCode: 200, body: Buffer.from([0, 255]).toString("base64"), isBase64Encoded: true });
    expect(Buffer.from(await (await ask()).arrayBuffer())).toEqual(Buffer.from([0, 255]));
  });

  test.each([{ name: "Acme" }, "a text", null])(
    "a function's result without a status becomes the body of a 200: %j",
    async (result) => {
      play = async () => result;
      const response = await ask();
      expect([response.status, await response.json()]).toEqual([200, result]);
      expect(response.headers.get("content-type")).toBe("application/json");
    },
  );
});

describe("a function that", () => {
  test.each([
    ["fails", "TypeError", 500, "Internal Server Error"],
    ["takes too long for itself", "Sandbox.Timedout", 500, "Internal Server Error"],
    ["has no instance left", "TooManyRequestsException", 503, "Service Unavailable"],
  ])(
    "a function that %s is answered by the HTTP API, without the function's message",
    async (_, errorType, status, message) => {
      play = async () => {
        throw new FunctionError(errorType, "somebody's words");
      };
      const response = await ask();
      expect([response.status, await response.json()]).toEqual([status, { message }]);
    },
  );

  test("a function at the HTTP API that takes longer than 30 seconds is answered with 503", async () => {
    jest.useFakeTimers({ doNotFake: ["nextTick", "setImmediate", "queueMicrotask"] });
    const called = Promise.withResolvers<void>();
    play = () => {
      called.resolve();
      return new Promise(() => {});
    };
    const answer = ask();
    await called.promise;
    jest.advanceTimersByTime(30_000);
    const response = await answer;
    expect([response.status, await response.json()]).toEqual([503, { message: "Service Unavailable" }]);
  });
});

test("a body of more than ten megabytes is refused before the function is called", async () => {
  const { status } = await ask("/", { method: "POST", body: Buffer.alloc(10 * 1024 * 1024 + 1) });
  expect([status, events]).toEqual([413, []]);
});

test("a specific route of the HTTP API takes precedence over the default route, by method and path", async () => {
  const own = aRoute({ routeKey: "POST /v1/webhooks/stripe", target: "integrations/int1" });
  const api = anApi([aRoute(), own, anIntegration()]);
  edge = new Edge("localhost", [api]);
  const port = await edge.listen(0);
  for (const [method, path] of [
    ["POST", "/v1/webhooks/stripe?a=1"],
    ["GET", "/v1/webhooks/stripe"],
    ["POST", "/v1/webhooks/stripe/x"],
  ] as const) {
    await fetch(`http://127.0.0.1:${port}/@api${path}`, { method });
  }
  expect(events.map(({ routeKey }) => routeKey)).toEqual(["POST /v1/webhooks/stripe", "$default", "$default"]);
});

describe("a declaration that the local stack does not play stops the start", () => {
  test.each<[string, DeclaredResource[], string]>([
    ["no route", [anIntegration()], "one route, $default"],
    ["a route with a variable", [aRoute(), aRoute({ routeKey: "GET /v1/{id}" }), anIntegration()], "whole paths"],
    ["a route of any method", [aRoute(), aRoute({ routeKey: "ANY /v1/me" }), anIntegration()], "whole paths"],
    ["another route", [aRoute({ routeKey: "GET /v1/me" }), anIntegration()], "one route, $default"],
    ["a route of another API alone", [aRoute({ apiId: "api2" }), anIntegration()], "one route, $default"],
    ["no integration", [aRoute()], "payload format 2.0"],
    ["a route to elsewhere", [aRoute({ target: "integrations/int2" }), anIntegration()], "payload format 2.0"],
    ["another payload", [aRoute(), anIntegration({ payloadFormatVersion: "1.0" })], "payload format 2.0"],
  ])("%s", (_, resources, message) => {
    expect(() => anApi(resources)).toThrow(message);
  });
});
