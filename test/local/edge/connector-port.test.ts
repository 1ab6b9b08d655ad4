import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "@jest/globals";
import { ConnectorPort } from "../../../local/edge/connector-port.ts";
import { freePorts } from "../../support/free-ports.ts";

const opened: ConnectorPort[] = [];
afterEach(() => Promise.all(opened.splice(0).map((each) => each.close())));

async function connector(edgePort?: number): Promise<string> {
  const port = new ConnectorPort("localhost", () => 0);
  await port.listen(edgePort);
  opened.push(port);
  return port.url;
}

test("the connectors' local address is the same after each start, unless another program uses the port", async () => {
  const [usual = 0] = await freePorts(1);
  const edgePort = usual - 10_000;
  const first = await connector(edgePort);
  expect(first).toBe(`http://127.0.0.1:${usual}`);
  expect(await connector(edgePort)).not.toBe(first);
  await opened.shift()?.close();
  expect(await connector(edgePort)).toBe(first);
});

test.each([undefined, 0, 60_000])("an edge at %s leaves the connectors any port", async (edgePort) => {
  expect(await connector(edgePort)).not.toBe(await connector(edgePort));
});

test("an endpoint hears its own address where a client names the local one, and the client hears the local issuer", async () => {
  const asked: string[] = [];
  const edge = createServer(async (request, response) => {
    asked.push(`${request.url} ${Buffer.concat(await request.toArray()).toString("utf8")}`);
    const location = `http://localhost:3334/cb?iss=${encodeURIComponent("https://mcp.localhost")}&code=c`;
    response.writeHead(303, { location, "set-cookie": "a=b" }).end("https://mcp.localhost/token");
  }).listen(0, "127.0.0.1");
  await new Promise((listening) => edge.once("listening", listening));
  const port = new ConnectorPort("localhost", () => (edge.address() as AddressInfo).port);
  await port.listen();
  opened.push(port);
  const resource = `${port.url}/gateway/mcp`;
  const answer = await fetch(`${port.url}/authorize?${new URLSearchParams({ resource })}`, { redirect: "manual" });
  const back = new URL(answer.headers.get("location") ?? "");
  expect([back.searchParams.get("iss"), answer.headers.getSetCookie()]).toEqual([port.url, ["a=b"]]);
  expect(await answer.text()).toBe(`${port.url}/token`);
  await fetch(`${port.url}/token`, {
    method: "POST",
    body: new URLSearchParams({ resource, code: `${port.url}0` }),
    redirect: "manual",
  });
  const named = new URLSearchParams({ resource: "https://mcp.localhost/gateway/mcp" });
  expect(asked).toEqual([`/authorize?${named} `, `/token ${named}&${new URLSearchParams({ code: `${port.url}0` })}`]);
  edge.closeAllConnections();
  await new Promise((closed) => edge.close(closed));
});
