// A provider's server that tries to reach more than its own hosts, with Node's own network below it: each of Node's ways to connect is refused
// before a name is looked up or a packet is sent.
import { execFile } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { runtimeFiles } from "../../components/mcp-gateway/runtime-program.ts";
import { runtimeProviders } from "../../domain/marketplace/providers.ts";
import { reach } from "../support/mcp/reaching-program.ts";

const own = "own.example:443";
const elsewhere = [
  ...["127.0.0.1:443", "127.1:443", "[::1]:443", "[::ffff:127.0.0.1]:443", "169.254.169.254:443"],
  ...["evil.example:443", "EVIL.EXAMPLE:443", "own.example.evil.example:443"],
  ...["own.example:80", "own.example:8443", "own.example.:443"],
];
/** Ways that send no TLS, as the test's server understands. */
const plainWays = [
  ...["fetch", "fetch by a dispatcher", "http", "http with an agent", "http with a look-up", "http with a connection"],
  ...["net", "net by arguments", "socket"],
];
const ways = [...plainWays, "fetch by TLS", "https", "https with an agent", "http2", "tls"];

/** An address of the own host from which the API leads on. */
const from = (path: string) => `${own}/${path}`;
const redirects = {
  evil: "https://evil.example/",
  plain: "http://own.example/",
  inside: "http://169.254.169.254/latest/meta-data/",
};

const names = {
  "own.example": ["93.184.215.14"],
  "six.example": ["2606:2800:21f::1"],
  "inside.example": ["10.0.0.8"],
  "both.example": ["93.184.215.14", "169.254.169.254"],
  "loopback6.example": ["::1"],
  "local6.example": ["fd00:ec2::254"],
  "mapped.example": ["::ffff:169.254.169.254"],
};
const leadInside = ["inside", "both", "loopback6", "local6", "mapped"].map((name) => `${name}.example:443`);

/** The internet below the server: it has these names, and every connection to an address ends at the test's server. */
const internet = (port: number) => `
import dns from "node:dns";
import { isIP, Socket } from "node:net";
const names = ${JSON.stringify(names)};
dns.lookup = (name, options, found) => {
  const addresses = (names[name] ?? []).map((address) => ({ address, family: isIP(address) }));
  if (addresses.length === 0) return found(Object.assign(new Error("ENOTFOUND " + name), { code: "ENOTFOUND" }));
  found(null, addresses);
};
const { connect } = Socket.prototype;
Socket.prototype.connect = function (options, callback) {
  const lookup = (name, { all }, found) => options.lookup(name, { all: true }, (error) =>
    error ? found(error) : all ? found(null, [{ address: "127.0.0.1", family: 4 }]) : found(null, "127.0.0.1", 4));
  return connect.call(this, { ...options, port: ${port}, lookup }, callback);
};
`;

const folder = mkdtempSync(join(tmpdir(), "archway-confined-"));
/** The host and path of each request that arrived anywhere. */
const asked: string[] = [];
let server: Server;
let outcomes: Record<string, string>;

beforeAll(async () => {
  server = createServer(({ headers, url = "" }, response) => {
    asked.push(`${headers.host}${url}`);
    const location = Object.entries(redirects).find(([path]) => url === `/${path}`)?.[1];
    if (location) response.writeHead(302, { location });
    response.end("{}");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const [provider] = runtimeProviders;
  if (!provider) throw new Error("there is no provider");
  const hosts = [...Object.keys(names), "unknown.example"];
  const files = {
    "confined-network.mjs": runtimeFiles(provider)["confined-network.js"] ?? "",
    "provider.json": JSON.stringify({ variables: [], hosts }),
    "internet.mjs": internet(port),
    "reach.mjs": reach,
    "program.mjs": `
      import { reach } from "./reach.mjs";
      const outcomes = {};
      for (const [how, address] of JSON.parse(process.argv[2])) outcomes[how + " " + address] = await reach(how, address);
      process.stdout.write(JSON.stringify(outcomes), () => process.exit());`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  const tried = [
    ...ways.flatMap((how) => [...elsewhere, `127.0.0.1:${port}`].map((address) => [how, address])),
    ...["OWN.EXAMPLE:443", "own.example.:443"].map((address) => ["net as it is written", address]),
    ...[...leadInside, "unknown.example:443", "six.example:443"].map((address) => ["fetch", address]),
    ...Object.keys(redirects).map((path) => ["fetch", from(path)]),
    ["pipe", "/tmp/archway.sock"],
    ["datagram", "127.0.0.1:53"],
    ...plainWays.map((how) => [how, own]),
    ["fetch", "OWN.EXAMPLE:443/by-url"],
  ];
  const modules = ["internet", "confined-network"].map((name) => `--import=${join(folder, name)}.mjs`);
  const program = [...modules, join(folder, "program.mjs"), JSON.stringify(tried)];
  const { stdout } = await promisify(execFile)(process.execPath, program);
  outcomes = JSON.parse(stdout);
}, 60_000);
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

test.each(ways)("a provider's server by %s reaches no other host, no other port and no private address", (how) => {
  const found = elsewhere.map((address) => [address, outcomes[`${how} ${address}`]]);
  expect(found).toEqual(elsewhere.map((address) => [address, expect.stringMatching(/^EACCES/)]));
});

test("a provider's server cannot open a pipe or send a datagram", () => {
  expect(outcomes["pipe /tmp/archway.sock"]).toMatch(/^EACCES/);
  expect(outcomes["datagram 127.0.0.1:53"]).toMatch(/^EACCES/);
});

test.each(leadInside)("a provider's own host that resolves to a private network is refused: %s", (address) => {
  expect(outcomes[`fetch ${address}`]).toMatch(/^EACCES/);
});

test("a provider's own host without an address is not found", () => {
  expect(outcomes["fetch unknown.example:443"]).toMatch(/^ENOTFOUND/);
});

test.each(Object.keys(redirects))("a redirect of a provider's API is not followed to another host: %s", (path) => {
  expect(asked).toContain(from(path));
  expect(outcomes[`fetch ${from(path)}`]).toMatch(/^EACCES/);
});

test("a provider's own host is reached at its HTTPS port, by IPv4 and IPv6", () => {
  const found = plainWays.map((how) => [how, outcomes[`${how} ${own}`]]);
  expect(found).toEqual(plainWays.map((how) => [how, "reached"]));
  expect(outcomes["fetch six.example:443"]).toBe("reached");
});

test("a provider's own host is compared in the declared spelling, to which URLs are normalized", () => {
  expect(asked).toContain(from("by-url"));
  expect(outcomes["net as it is written OWN.EXAMPLE:443"]).toMatch(/^EACCES/);
  expect(outcomes["net as it is written own.example.:443"]).toMatch(/^EACCES/);
});

test("only requests for a provider's own hosts have arrived", () => {
  const hosts = asked.map((address) => address.slice(0, address.indexOf("/")));
  expect(new Set(hosts)).toEqual(new Set([own, "six.example:443"]));
});
