import { createServer, type RequestListener, request as requestByHttp, type Server } from "node:http";
import type { request as requestByHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { clientDocumentFetch } from "../../../adapters/upstream/client-document.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

/** Serves every host from this machine by plain HTTP. */
async function fetching(answer: RequestListener, address = "93.184.215.14") {
  const server = createServer(answer).listen(0, "127.0.0.1");
  servers.push(server);
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  const request = (url: URL, { lookup: _, agent: __, ...options }: object & Record<string, unknown>, answered: never) =>
    requestByHttp(`http://127.0.0.1:${port}${url.pathname}`, options, answered);
  const resolve = async () => [{ address, family: 4 }];
  return clientDocumentFetch({ resolve, request: request as unknown as typeof requestByHttps });
}

const address = "https://app.example/client.json";

test.each([
  [undefined, 300],
  ["max-age=3600", 3_600],
  ["public, max-age=60, must-revalidate", 60],
  ["no-store", 0],
  ["no-cache, max-age=60", 0],
])("a document with the header %s is fresh for %s seconds", async (cacheControl, freshSeconds) => {
  const fetch = await fetching((_, response) =>
    response.writeHead(200, cacheControl === undefined ? {} : { "cache-control": cacheControl }).end("{}"),
  );
  expect(await fetch(address)).toEqual({ text: "{}", freshSeconds });
});

test("a redirect is not followed", async () => {
  let calls = 0;
  const fetch = await fetching((_, response) => {
    calls += 1;
    response.writeHead(302, { location: "https://169.254.169.254/" }).end();
  });
  expect(await fetch(address)).toEqual({ failure: expect.stringContaining("redirect") });
  expect(calls).toBe(1);
});

test("a document of 10 MB is not read to its end", async () => {
  const fetch = await fetching((_, response) => response.end("x".repeat(10 * 1_048_576)));
  expect(await fetch(address)).toEqual({ failure: expect.stringContaining("larger") });
});

test("a server that refuses is named by its status, and a private address is not asked", async () => {
  const refusing = await fetching((_, response) => response.writeHead(403).end("secret words"));
  expect(await refusing(address)).toEqual({ failure: "its server answers with status 403" });
  const inside = await fetching((_, response) => response.end("{}"), "10.0.0.8");
  expect(await inside(address)).toEqual({ failure: expect.stringContaining("not the public internet") });
});
