// `npm run check:mcp`: the conformance suite of MCP against the connector origin, a gateway and the client of `probe`, on a stack of this
// machine. `expected-*.yaml` say what fails, and why; the suite also fails when one of those passes.
import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { consoleToken } from "../../local/demo/app-client.ts";
import { Browser } from "../../local/demo/sign-in.ts";
import { callControlPlane } from "../../local/demo/workspace.ts";
import type { Person } from "../../local/running-stack.ts";
import { startLocal } from "../../local/stack.ts";
import { freePorts } from "../support/free-ports.ts";
import { agree, connectorToken } from "../support/mcp/connector.ts";
import { fixtureServer } from "./fixture.ts";
import { gatewayProxy } from "./gateway-proxy.ts";

const here = fileURLToPath(new URL(".", import.meta.url));
const suite = join(here, "node_modules", "@modelcontextprotocol", "conformance", "dist", "index.js");
const revisions = ["2025-11-25", "2026-07-28"];
/** A gateway takes 20 calls a second. */
const pauseMs = 100;
const fixtureName = "mcp.fixture.example";

const [callbackPort = 0] = await freePorts(1);
const callback = `http://127.0.0.1:${callbackPort}/callback`;
const stack = await startLocal({ port: 0, ephemeral: true });
const fixture = fixtureServer();
const failed: string[] = [];
try {
  const { demo } = stack;
  if (!demo) throw new Error("the stack has no demo workspace");
  const owner = await consoleToken(stack, demo.owner);
  const call = (path: string, body: object) => callControlPlane(stack, owner, "POST", path, body);
  type Gateway = { endpoint: string; client_id: string; client_secret: string; public_client_id: string };
  const gateway = (await call("/v1/mcp-gateway", {})) as Gateway;
  await stack.queuePoller.idle();
  stack.hosts.put({ [fixtureName]: { addresses: ["93.184.215.14"], server: await addressOf(fixture) } });
  const endpoint = `https://${fixtureName}/mcp`;
  await call("/v1/mcp-servers", { name: "fixture", target_mode: "mcp_server", endpoint, auth: { kind: "none" } });
  await stack.queuePoller.idle();

  const issuer = new URL(gateway.endpoint).origin;
  // The suite sends no secret where an origin takes clients without one, so it can play the public client alone.
  const client = ["--client-id", gateway.public_client_id, "--resource", gateway.endpoint];
  await judge("authorization", ["authorization", "--url", issuer, ...client, "-p", String(callbackPort)], demo.owner);

  const token = await connectorToken(gateway, demo.owner);
  const proxy = gatewayProxy(gateway.endpoint, "fixture", () => {
    // The suite sends faster than the calls that a gateway takes in a second.
    stack.clock.advance(pauseMs);
    return token;
  });
  const url = `${await addressOf(proxy)}/mcp`;
  const probe = `${process.execPath} ${join(here, "probe-client.ts")}`;
  for (const revision of revisions) {
    const asked = ["--requirements", revision, "--expected-failures", join(here, `expected-${revision}.yaml`)];
    await judge(`server ${revision}`, ["server", "--url", url, ...asked]);
    await judge(`client ${revision}`, ["client", "--command", probe, ...asked]);
  }
  proxy.closeAllConnections();
  proxy.close();
} finally {
  fixture.closeAllConnections();
  fixture.close();
  await stack.stop();
}
process.stdout.write(failed.length === 0 ? "all as expected\n" : `not as expected: ${failed.join(", ")}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

/** Runs the suite; `person` signs in where it asks for that. */
async function judge(name: string, args: string[], person?: Person): Promise<void> {
  process.stdout.write(`\n=== ${name}\n`);
  const child = spawn(process.execPath, [suite, ...args], { cwd: tmpdir(), stdio: ["ignore", "pipe", "pipe"] });
  let written = "";
  let signedIn: Promise<void> | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (chunk: Buffer) => {
      written += chunk;
      const [address] = /http\S+\/authorize\?\S+(?=\s)/.exec(written) ?? [];
      if (person && address && !signedIn)
        signedIn = agree(new Browser(), address, person, callback).then(async (back) => void (await fetch(back)));
    });
  }
  const [code] = await once(child, "close");
  await signedIn;
  // The suite tells what each scenario did first; the verdicts stand at the end.
  process.stdout.write(code === 0 ? written.slice(Math.max(written.lastIndexOf("SUMMARY ==="), 0)) : written);
  if (code !== 0) failed.push(name);
}

async function addressOf(server: Server): Promise<string> {
  if (!server.listening) await once(server, "listening");
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
