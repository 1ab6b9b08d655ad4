import { once } from "node:events";
import { type Agent, createServer, get } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { agents } from "../../adapters/connections.ts";

const idle = 50;
const ports: (number | undefined)[] = [];
const server = createServer((request, response) => {
  ports.push(request.socket.remotePort);
  response.end("answer");
});

beforeEach(async () => {
  ports.length = 0;
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
});
afterEach(() => {
  server.close();
  server.closeAllConnections();
});

/** Resolves once the connection is free again. */
async function call(agent: Agent): Promise<void> {
  const freed = once(agent, "free");
  const [response] = await once(get({ agent, port: (server.address() as AddressInfo).port }), "response");
  response.resume();
  await freed;
}

/** As in a frozen function: time passes and nothing runs, no timer either. */
function freeze(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

test("consecutive calls share a connection", async () => {
  const { httpAgent } = agents(60_000);
  await call(httpAgent);
  await call(httpAgent);
  expect(new Set(ports).size).toBe(1);
  httpAgent.destroy();
});

test("the first call after a freeze takes a new connection, though no timer has run", async () => {
  const { httpAgent } = agents(idle);
  await call(httpAgent);
  freeze(2 * idle);
  await call(httpAgent);
  expect(new Set(ports).size).toBe(2);
  httpAgent.destroy();
});
