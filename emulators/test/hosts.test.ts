import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "@jest/globals";
import { Hosts } from "../hosts.ts";

let server: Server;
let origin: string;
let hosts: Hosts;
/** Whether the server says so with each answer, as some do even to who asked it to close. */
let keepsConnections = false;

beforeEach(async () => {
  server = createServer((request, response) => {
    if (request.url === "/moved") response.writeHead(302, { location: "http://169.254.169.254/" });
    if (keepsConnections) response.setHeader("connection", "keep-alive");
    request.setEncoding("utf8");
    let body = "";
    request.on("data", (chunk) => {
      body += chunk;
    });
    request.on("end", () => response.end(JSON.stringify([request.method, request.url, request.headers.host, body])));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  origin = `http://127.0.0.1:${port}`;
  hosts = new Hosts({ edgePort: () => port, awsUrl: () => origin, isOnEdge: (name) => name === "own.amazonaws.com" });
});

afterEach(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

test("a configured host name resolves to its addresses, and an unknown name does not resolve", () => {
  hosts.put({ "api.example.com": { addresses: ["93.184.216.34", "2606:2800::1"], server: origin } });
  expect(hosts.lookUp("API.example.com")).toEqual(["93.184.216.34", "2606:2800::1"]);
  expect(hosts.lookUp("other.example.com")).toEqual([]);
  expect([hosts.matches("api.example.com"), hosts.matches("other.example.com")]).toEqual([true, false]);
});

test("a host name's addresses can change with each look-up; after the last list they stay", () => {
  hosts.put({ "rebind.example.com": { addresses: [["93.184.216.34"], ["127.0.0.1"]], server: origin } });
  const looked = [1, 2, 3].map(() => hosts.lookUp("rebind.example.com"));
  expect(looked).toEqual([["93.184.216.34"], ["127.0.0.1"], ["127.0.0.1"]]);
});

test.each([
  [{ "api.example.com": { addresses: ["nowhere"], server: "http://127.0.0.1:1" } }, /api.example.com.addresses/],
  [{ "api.example.com": { addresses: ["1.2.3.4"], server: "nowhere" } }, /api.example.com.server/],
])("a host without a valid address or server is refused by name", (input, message) => {
  expect(() => hosts.put(input)).toThrow(message);
});

test("a request to a configured host goes to its server, a request to a host of the stack to the edge, and redirects are not followed", async () => {
  hosts.put({ "api.example.com": { addresses: ["93.184.216.34"], server: origin } });
  const answer = await hosts.fetch("https://api.example.com/v1?q=1", { method: "POST", body: "hello" });
  expect(await answer.json()).toEqual(["POST", "/v1?q=1", "api.example.com", "hello"]);
  expect(await (await hosts.fetch("https://own.amazonaws.com/x")).json()).toEqual([
    "GET",
    "/x",
    "own.amazonaws.com",
    "",
  ]);
  expect((await hosts.fetch("https://api.example.com/moved")).status).toBe(302);
});

test("a client that closes its connection after each request is answered each time, like one that keeps the connection", async () => {
  hosts.put({ "api.example.com": { addresses: ["93.184.216.34"], server: origin } });
  const front = createServer((request, response) => void hosts.handle(request, response));
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const ask = (connection: string) =>
    new Promise<number | undefined>((resolve) => {
      const headers = { host: "api.example.com", connection };
      const { port } = front.address() as AddressInfo;
      request({ port, method: "POST", headers, agent: false }, (answer) => {
        answer.resume().once("end", () => resolve(answer.statusCode));
      }).end("hello");
    });
  keepsConnections = true;
  expect([await ask("close"), await ask("close"), await ask("keep-alive")]).toEqual([200, 200, 200]);
  front.closeAllConnections();
  front.close();
});

test("a request to a host whose server is not running finds the connection closed, and nothing else fails", async () => {
  hosts.put({ "api.example.com": { addresses: ["93.184.216.34"], server: "http://127.0.0.1:1" } });
  const handled: Promise<void>[] = [];
  const front = createServer((request, response) => handled.push(hosts.handle(request, response)));
  await new Promise<void>((resolve) => front.listen(0, "127.0.0.1", resolve));
  const { port } = front.address() as AddressInfo;
  const error = await new Promise<NodeJS.ErrnoException>((resolve) => {
    request({ port, headers: { host: "api.example.com" }, agent: false })
      .once("error", resolve)
      .end();
  });
  expect(error.code).toBe("ECONNRESET");
  await Promise.all(handled);
  // A rejection that nobody handles ends the whole stack. Node tells of it once the microtasks are over, and Jest then fails the test.
  await new Promise((resolve) => setImmediate(resolve));
  front.close();
});
