import { Agent, createServer, type RequestListener, request as requestByHttp, type Server } from "node:http";
import type { request as requestByHttps } from "node:https";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { poolEndpoints } from "../../../adapters/user-pool/token-endpoint.ts";

let server: Server;
const agent = new Agent({ keepAlive: true });
afterEach(async () => {
  agent.destroy();
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

async function pool(answer: RequestListener) {
  server = createServer(answer).listen(0, "127.0.0.1");
  await new Promise((listening) => server.once("listening", listening));
  const { port } = server.address() as AddressInfo;
  return poolEndpoints(`http://127.0.0.1:${port}`, { request: requestByHttp as typeof requestByHttps, agent });
}

const echo: RequestListener = async (request, response) => {
  const chunks = await request.toArray();
  const { method, url, headers } = request;
  response.end(
    JSON.stringify({ method, url, authorization: headers.authorization, form: Buffer.concat(chunks).toString() }),
  );
};

test("a public client is named in the form, and the secret of another one stands in the header", async () => {
  const { token, revoke } = await pool(echo);
  const form = { grant_type: "refresh_token", refresh_token: "a+b" };
  expect(JSON.parse((await token(form, { clientId: "c" })).body)).toEqual({
    method: "POST",
    url: "/oauth2/token",
    form: "grant_type=refresh_token&refresh_token=a%2Bb&client_id=c",
  });
  const withSecret = JSON.parse((await revoke("t", { clientId: "c", secret: "s:+" })).body);
  expect(withSecret).toMatchObject({ url: "/oauth2/revoke", form: "token=t&client_id=c" });
  expect(Buffer.from(withSecret.authorization.slice("Basic ".length), "base64").toString()).toBe("c:s%3A%2B");
});

test("the pool's refusal is an answer", async () => {
  const { token } = await pool((_, response) => response.writeHead(400).end('{"error":"invalid_grant"}'));
  expect(await token({}, { clientId: "c" })).toEqual({ status: 400, body: '{"error":"invalid_grant"}' });
});

test("a kept connection that the pool has closed costs nobody an error: the form is sent again by another one", async () => {
  const served = new WeakMap<object, number>();
  const { token } = await pool((request, response) => {
    const count = (served.get(request.socket) ?? 0) + 1;
    served.set(request.socket, count);
    // As a server does that has ended the connection while the next form is on its way.
    if (count > 1) request.socket.destroy();
    else void echo(request, response);
  });
  for (let call = 0; call < 3; call++) expect((await token({}, { clientId: "c" })).status).toBe(200);
});

test("a new connection that the pool closes is an error, and the form is not sent again", async () => {
  let calls = 0;
  const { token } = await pool((request) => {
    calls += 1;
    request.socket.destroy();
  });
  await expect(token({}, { clientId: "c" })).rejects.toThrow();
  expect(calls).toBe(1);
});

test("an answer of more than tokens take is an error", async () => {
  const { token } = await pool((_, response) => response.end("x".repeat(70_000)));
  await expect(token({}, { clientId: "c" })).rejects.toThrow("too large");
});
