import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { jsonOf, request, safeUrl, secondsBehind } from "../../../../packages/sign-in/platform/http.ts";

let server: Server | undefined;
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

async function serving(listener: RequestListener): Promise<string> {
  server = createServer(listener);
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const unreachable = { exitCode: 4 };

test("an answer is read completely, whatever its status", async () => {
  const url = await serving((_request, response) => response.writeHead(404, { date: "x" }).end('{"a":1}'));
  const response = await request(url);
  expect([response.status, await jsonOf(response, url)]).toEqual([404, { a: 1 }]);
});

test.each<[string, RequestListener, string]>([
  [
    "larger than any of the platform's",
    (_request, response) => response.end("x".repeat(600_000)),
    "more than 524288 bytes",
  ],
  [
    "a redirect",
    (_request, response) => response.writeHead(302, { location: "https://evil.example" }).end(),
    "redirects",
  ],
  [
    "cut off",
    (_request, response) => response.writeHead(200, { "content-length": 9 }).write("x", () => response.destroy()),
    "cannot reach",
  ],
  ["never there", () => undefined, "no answer in time"],
])("an answer that is %s is refused", async (_what, listener, says) => {
  const url = await serving(listener);
  await expect(request(url, {}, 500)).rejects.toMatchObject({ ...unreachable, message: expect.stringContaining(says) });
});

test.each(["\u0000\u0001binary", "<html>", ""])("an answer that is %j is not JSON", async (text) => {
  const url = await serving((_request, response) => response.end(text));
  await expect(request(url).then((response) => jsonOf(response, url))).rejects.toMatchObject(unreachable);
});

test("an address where no server answers is reported in a clear message", async () => {
  await expect(request("http://127.0.0.1:9/")).rejects.toMatchObject(unreachable);
});

test("the time by which the clock is behind follows from the answer's date", () => {
  const answered = (date?: string) => new Response(null, { headers: date ? { date } : {} });
  expect(secondsBehind(answered("Sun, 22 Nov 2026 00:01:00 GMT"), Date.parse("2026-11-22T00:00:00Z"))).toBe(60);
  expect(secondsBehind(answered(), 0)).toBeUndefined();
  expect(secondsBehind(answered("soon"), 0)).toBeUndefined();
});

test.each([
  ["https://api.example.com/", "https://api.example.com"],
  ["api.example.com", "https://api.example.com"],
  ["http://127.0.0.1:8787/@api", "http://127.0.0.1:8787/@api"],
  ["http://api.localhost:8787", "http://api.localhost:8787"],
  ["127.0.0.1:8787/@api", "http://127.0.0.1:8787/@api"],
  ["api.localhost:8787", "http://api.localhost:8787"],
  ["localhost.evil.example", "https://localhost.evil.example"],
])("the address %s is used as %s", (text, url) => {
  expect(safeUrl(text)).toBe(url);
});

test.each([
  "http://api.example.com",
  "ftp://localhost",
  "https://me:secret@api.example.com",
  "https://a.b/?c",
  "",
  "http://localhost.evil.example",
])("a token is not sent to the address %j", (text) => {
  expect(() => safeUrl(text)).toThrow();
});

test("a server without HTTPS is reported as such", async () => {
  const url = await serving((_request, response) => response.end());
  await expect(request(url.replace("http:", "https:"))).rejects.toThrow(
    /^cannot reach 127.0.0.1:\d+: it does not speak HTTPS$/,
  );
});

test("an unknown certificate is reported with the variable that can add it", async () => {
  const fetched = globalThis.fetch;
  const code = "DEPTH_ZERO_SELF_SIGNED_CERT";
  globalThis.fetch = () => Promise.reject(new TypeError("fetch failed", { cause: { code } }));
  const asked = request("https://api.example.com/").finally(() => {
    globalThis.fetch = fetched;
  });
  await expect(asked).rejects.toThrow(
    /^cannot reach api.example.com: DEPTH_ZERO_SELF_SIGNED_CERT; NODE_EXTRA_CA_CERTS names/,
  );
});
