import http from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, beforeEach, expect, test } from "@jest/globals";
import { Edge } from "../../../local/edge/edge.ts";
import { LocalInterface } from "../../../local/edge/local-interface.ts";
import type { Stack } from "../../../local/running-stack.ts";

let edge: Edge;
let port: number;
let advanced: number;
beforeAll(async () => {
  const localInterface = new LocalInterface();
  const clock = { now: () => 0, advance };
  localInterface.open({ clock, dynamodb: { sweep: async () => undefined } } as unknown as Stack);
  edge = new Edge("localhost", [localInterface]);
  port = await edge.listen(0);
});
afterAll(() => edge.close());
beforeEach(() => {
  advanced = 0;
});

function advance(milliseconds: number): void {
  advanced += milliseconds;
}

/** Advances the clock, as a page of any name could send it without asking first. */
async function post(headers: http.OutgoingHttpHeaders): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<http.IncomingMessage>();
  const options = {
    port,
    method: "POST",
    path: "/_local/clock",
    headers: { "content-type": "text/plain", ...headers },
  };
  http.request(options, resolve).once("error", reject).end('{"advance_seconds":1}');
  const response = await promise;
  await text(response);
  return response.statusCode;
}

test("a program may change the running stack, and so may a page of its own origin", async () => {
  expect(await post({})).toBe(200);
  for (const host of ["127.0.0.1", "localhost", "[::1]"]) {
    expect(await post({ host: `${host}:${port}`, origin: `http://${host}:${port}` })).toBe(200);
  }
  expect(advanced).toBe(4_000);
});

test("a page of another origin may not change the running stack, even from another port of this machine", async () => {
  const others = [
    "https://evil.example",
    "null",
    `http://127.0.0.1:${port + 1}`,
    `http://acme.proxy.localhost:${port}`,
  ];
  for (const origin of others) expect([origin, await post({ origin })]).toEqual([origin, 403]);
  expect(advanced).toBe(0);
});

test("a page whose host name resolves to this machine may not change the running stack", async () => {
  for (const host of ["evil.example", `evil.example:${port}`, "127.0.0.1.evil.example"]) {
    expect([host, await post({ host })]).toEqual([host, 404]);
  }
  expect(advanced).toBe(0);
});
