import http from "node:http";
import net from "node:net";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import type { HttpRequest } from "../../../emulators/lambda/event.ts";
import { Edge } from "../../../local/edge/edge.ts";

const maxBodyBytes = 1_000;

/** Says what it was asked. */
const echo = {
  matches: (host: string) => host.endsWith(".proxy.localhost") || host === "api.localhost",
  maxBodyBytes,
  serve: async ({ body, ...request }: HttpRequest, response: http.ServerResponse) =>
    void response.end(JSON.stringify({ ...request, body: body.toString() })),
};
/** Reads requests itself, and says where its root is. */
const raw = {
  matches: (host: string) => host === "auth.localhost" || host === "api.localhost",
  handle: async (request: http.IncomingMessage, response: http.ServerResponse, baseUrl: string) =>
    void response.end(
      JSON.stringify({ url: request.url, host: request.headers.host, baseUrl, body: await text(request) }),
    ),
};
const broken = {
  matches: (host: string) => host.startsWith("broken"),
  maxBodyBytes,
  serve: async ({ url }: HttpRequest, response: http.ServerResponse) => {
    if (url === "/begun") response.write("the beginning");
    throw new Error("it broke");
  },
};

let edge: Edge;
let port: number;
beforeEach(async () => {
  edge = new Edge("localhost", [echo, raw, broken]);
  port = await edge.listen(0);
});
afterEach(() => edge.close());

type Sent = { method?: string; path?: string; headers?: http.OutgoingHttpHeaders; body?: string };

/** Without `fetch`, which chooses the host itself. */
async function send({ method = "GET", path = "/", headers = {}, body }: Sent) {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  http.request({ port, method, path, headers }, resolve).once("error", reject).end(body);
  const response = await promise;
  const answer = await text(response);
  const { statusCode: status, headers: received } = response;
  return { status, headers: received, text: answer, json: answer.startsWith("{") ? JSON.parse(answer) : undefined };
}

describe("the host", () => {
  test.each(["acme.proxy.localhost", "ACME.Proxy.localhost", "acme.proxy.localhost:8787", "acme.proxy.localhost."])(
    "the host %s is served only by the front that matches its name",
    async (host) => {
      const { json } = await send({ path: "/v1/models?limit=1", headers: { host } });
      expect(json).toMatchObject({ url: "/v1/models?limit=1", headers: { host: "acme.proxy.localhost" } });
    },
  );

  test.each([
    ["/@acme.proxy/v1/models?limit=1", "acme.proxy.localhost", "/v1/models?limit=1"],
    ["/@ACME.proxy/x", "acme.proxy.localhost", "/x"],
    ["/@api", "api.localhost", "/"],
    ["/@api?a=b", "api.localhost", "/?a=b"],
    ["/@api//twice/@api", "api.localhost", "//twice/@api"],
  ])(
    "the host of a local request can be part of the path, for clients that cannot resolve it: %s",
    async (path, host, url) => {
      const { json } = await send({ path, headers: { host: "elsewhere.localhost" } });
      expect(json).toMatchObject({ url, headers: { host } });
    },
  );

  test("a host that two fronts match is served by the first", async () => {
    expect((await send({ path: "/@api/" })).json).toHaveProperty("sourceIp");
  });

  test("a host that no front serves is answered with 404, and named", async () => {
    const { status, json } = await send({ headers: { host: "other.example" } });
    expect([status, json.message]).toEqual([404, 'The local stack serves no host "other.example".']);
  });
});

describe("the request at a front", () => {
  test("a local request is passed to the front completely, with the client's address", async () => {
    const { json } = await send({
      method: "PUT",
      path: "/@api/a",
      headers: { "X-Two": ["1", "2"], "transfer-encoding": "chunked" },
      body: "text",
    });
    expect(json).toMatchObject({ method: "PUT", body: "text", headers: { "x-two": "1, 2" } });
    expect(json.sourceIp).toMatch(/127\.0\.0\.1$/);
  });

  test("the body of a local request has a limit, and a larger one is answered with 413", async () => {
    expect((await send({ method: "POST", path: "/@api/", body: "x".repeat(maxBodyBytes) })).status).toBe(200);
    const { status, json } = await send({ method: "POST", path: "/@api/", body: "x".repeat(maxBodyBytes + 1) });
    expect([status, json.message]).toEqual([413, "The body is larger than 1000 bytes."]);
  });

  test("a local request can have headers of many kilobytes", async () => {
    const long = "b".repeat(40 * 1024);
    expect((await send({ path: "/@api/", headers: { "anthropic-beta": long } })).json.headers["anthropic-beta"]).toBe(
      long,
    );
  });
});

describe("a front that reads requests itself", () => {
  test("a front that reads requests itself gets them with its own path and host, whatever their size", async () => {
    const body = "x".repeat(maxBodyBytes * 10);
    const { json } = await send({ method: "POST", path: "/@auth/oauth2/token", body });
    expect(json).toMatchObject({ url: "/oauth2/token", host: "auth.localhost", body });
  });

  test("a front that reads requests itself is told the address at which the client sees its root", async () => {
    expect((await send({ path: "/@auth/login" })).json.baseUrl).toBe(`http://127.0.0.1:${port}/@auth`);
    expect((await send({ path: "/login", headers: { host: "auth.localhost" } })).json.baseUrl).toBe(
      `http://auth.localhost:${port}`,
    );
  });
});

describe("a front that breaks", () => {
  test("a front that throws is answered with 500 and its message", async () => {
    const { status, json } = await send({ path: "/@broken/" });
    expect([status, json]).toEqual([500, { message: "it broke" }]);
  });

  test("a front that fails in the middle of its answer breaks the connection", async () => {
    await expect(send({ path: "/@broken/begun" })).rejects.toThrow(/aborted|hang up/);
  });

  test("a failing front does not affect the others", async () => {
    await send({ path: "/@broken/" });
    expect((await send({ path: "/@api/" })).status).toBe(200);
  });
});

test("local answers have the stack's time, which the console uses", async () => {
  const now = Date.parse("2027-03-01T00:00:00Z");
  edge.open("localhost", [echo, raw, broken], () => now);
  for (const host of ["echo.localhost", "raw.localhost", "nobody.localhost"]) {
    const { headers } = await send({ headers: { host } });
    expect(headers.date).toBe(new Date(now).toUTCString());
  }
});

test("a request that is not HTTP is answered with 400", async () => {
  const socket = net.connect(port, "127.0.0.1");
  socket.write("no such protocol\r\n\r\n");
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
});

test("starting the edge on a taken port is an error with that code", async () => {
  const second = new Edge("localhost", []);
  await expect(second.listen(port)).rejects.toMatchObject({ code: "EADDRINUSE" });
});

test("closing the edge ends open connections, and frees the port", async () => {
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  const socket = net.connect(port, "127.0.0.1", () => void edge.close());
  socket.once("close", () => resolve()).resume();
  await closed;
  expect(edge.port).toBe(0);
  edge = new Edge("localhost", [echo]);
  expect(await edge.listen(port)).toBe(port);
});

describe("a browser", () => {
  const html = { accept: "text/html,*/*" };
  const page = { ...echo, matches: (host: string) => host === "console.localhost" };

  beforeEach(() => edge.open("localhost", [echo, page], Date.now));

  test.each([
    ["the stack's bare address", "/", "/"],
    ["the console below a path, whose files are on its own host", "/@console/keys?a=1", "/keys?a=1"],
  ])("a browser that opens %s is redirected to the console's host", async (_what, path, to) => {
    const { status, headers } = await send({ path, headers: { ...html, host: `127.0.0.1:${port}` } });
    expect([status, headers.location]).toEqual([302, `http://console.localhost:${port}${to}`]);
  });

  test("a browser is redirected from no other address, and other programs are never redirected", async () => {
    expect((await send({ path: "/@acme.proxy/", headers: { ...html, host: "127.0.0.1" } })).status).toBe(200);
    expect((await send({ path: "/@console/", headers: { host: "127.0.0.1" } })).status).toBe(200);
    expect((await send({ path: "/", headers: { host: "127.0.0.1" } })).status).toBe(404);
  });
});
