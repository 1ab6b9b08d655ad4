import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { discover, requireOwnHosts } from "../../../../packages/sign-in/platform/discovery.ts";
import { aDiscovery } from "../../../support/control-plane.ts";

let server: Server;
let url: string;
let answer: { status?: number; body: string };
const asked: string[] = [];
beforeAll(async () => {
  server = createServer((request, response) => {
    asked.push(request.url ?? "");
    response.writeHead(answer.status ?? 200).end(answer.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/@api`;
});
afterAll(() => void server.close());

/** As a platform of this machine publishes it. */
const published = () => ({
  ...aDiscovery,
  api_url: url,
  auth_url: "http://auth.localhost:8787",
  proxy_url: "http://127.0.0.1:8787/@{slug}.proxy/vendor",
});

test("a client reads the platform's published discovery document", async () => {
  answer = { body: JSON.stringify(published()) };
  const {
    vendor: _vendor,
    providers: _providers,
    openid_configuration_url: _documents,
    clients,
    ...shared
  } = published();
  // Of the console's, only its address is for others.
  const console = { redirect_uris: clients.console.redirect_uris };
  const read = { ...shared, clients: { ...clients, console } };
  expect((await discover(url, Date.now())).discovery).toEqual(read);
  expect(asked).toEqual(["/@api/.well-known/archway.json"]);
});

test("discovery notices a clock that is behind", async () => {
  answer = { body: JSON.stringify(published()) };
  const { behind } = await discover(url, Date.now() - 86_400_000);
  expect(Math.round(behind / 3_600)).toBe(24);
});

test.each([
  ["something else", { body: "{}" }],
  ["a page", { body: "<html>" }],
  ["binary", { body: "\u0000\u0001" }],
  ["far too much", { body: "x".repeat(600_000) }],
  ["nothing there", { status: 404, body: "{}" }],
  ["a sign-in without TLS", { body: JSON.stringify({ ...aDiscovery, auth_url: "http://auth.example.com" }) }],
  ["an API without TLS", { body: JSON.stringify({ ...aDiscovery, api_url: "http://api.example.com" }) }],
  ["a header that is none", { body: JSON.stringify({ ...aDiscovery, region_header: "X: 1\nY" }) }],
  ["a proxy without TLS", { body: JSON.stringify({ ...aDiscovery, proxy_url: "http://{slug}.example.com/vendor" }) }],
])("an address that answers with %s is not a platform", async (_what, given) => {
  answer = given;
  await expect(discover(url, Date.now())).rejects.toMatchObject({ exitCode: 4 });
});

test.each([
  ["api_url", "https://api.elsewhere.example"],
  ["auth_url", "https://auth.elsewhere.example"],
  ["proxy_url", "https://{slug}.elsewhere.example/vendor"],
])("a token is sent to no other platform: a foreign %s is refused by its host", async (field, foreign) => {
  answer = { body: JSON.stringify({ ...published(), [field]: foreign }) };
  const refused = discover(url, Date.now());
  await expect(refused).rejects.toMatchObject({ exitCode: 4, message: expect.stringContaining("elsewhere.example") });
});

describe("the hosts of a platform are those of its domain", () => {
  const of = (url: string, api_url: string) =>
    requireOwnHosts(url, { ...aDiscovery, api_url, auth_url: api_url, proxy_url: api_url });

  test.each([
    ["https://api.example.com", "https://auth.example.com"],
    ["https://example.com", "https://api.example.com"],
    ["https://archway.example.com", "https://archway.example.com"],
    ["http://localhost:8787/@api", "http://127.0.0.1:8787/@auth"],
  ])("the platform %s may name the host %s", (url, named) => expect(of(url, named)).toBeUndefined());

  test.each([
    ["https://api.example.com", "https://api.example.com.evil.test"],
    ["https://api.example.com", "https://evilexample.com"],
    ["https://api.com", "https://evil.com"],
    ["https://api.example.com", "http://localhost:1"],
    ["http://localhost:8787/@api", "https://api.example.com"],
  ])("the platform %s may not name the host %s", (url, named) =>
    expect(() => of(url, named)).toThrow("no token is sent there"),
  );
});
