// What `probe` does, as a program that the conformance suite starts with a server's address: it lists the server's tools. The guard of
// addresses is on; the name alone leads to this machine, as a name of a public server would not.
import http from "node:http";
import { upstream } from "../../adapters/upstream/upstream.ts";
import { UpstreamFailure } from "../../domain/upstream/upstream-failure.ts";

const server = new URL(process.argv.at(-1) ?? "");
const publicAddress = { address: "93.184.215.14", family: 4 };

const probe = upstream({
  timeoutMs: 10_000,
  resolve: async () => [publicAddress],
  request: ((url, { lookup: _, ...options }, answered) =>
    http.request(new URL(`${url.pathname}${url.search}`, server), options, answered)) as never,
});
try {
  const tools = await probe.tools(`https://mcp.example.com${server.pathname}${server.search}`, undefined);
  process.stdout.write(`${tools.map(({ name }) => name).join(" ")}\n`);
} catch (error) {
  if (!(error instanceof UpstreamFailure)) throw error;
  process.stderr.write(`${error.reason}\n`);
  process.exitCode = 1;
}
