// What `probe` does, as a program that the conformance suite starts with a server's address: it lists the server's tools. The guard of
// addresses is on; the name alone leads to this machine, as a name of a public server would not.
import http, { type IncomingMessage } from "node:http";
import type https from "node:https";
import { upstream } from "../../adapters/upstream/upstream.ts";
import { UpstreamFailure } from "../../domain/upstream/upstream-failure.ts";

const server = new URL(process.argv.at(-1) ?? "");
const publicAddress = { address: "93.184.215.14", family: 4 };

function requestHere(url: URL, options: https.RequestOptions, answered: (message: IncomingMessage) => void) {
  const { lookup: _, ...rest } = options;
  return http.request(new URL(`${url.pathname}${url.search}`, server), rest, answered);
}

const probe = upstream({
  timeoutMs: 10_000,
  resolve: async () => [publicAddress],
  request: requestHere as typeof https.request,
});
try {
  const tools = await probe.tools(`https://mcp.example.com${server.pathname}${server.search}`, undefined);
  process.stdout.write(`${tools.map(({ name }) => name).join(" ")}\n`);
} catch (error) {
  if (!(error instanceof UpstreamFailure)) throw error;
  process.stderr.write(`${error.reason}\n`);
  process.exitCode = 1;
}
