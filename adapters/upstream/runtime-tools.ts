// Lists the tools of a provider's server in its runtime at AgentCore, in the name of the function that asks.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { ProbedTool } from "../../domain/upstream/upstream.ts";
import { UpstreamFailure } from "../../domain/upstream/upstream-failure.ts";
import { type AwsRuntime, signedService } from "../aws.ts";
import { probed } from "./probed-tool.ts";

/** @param timeoutMs for all of it, a cold start included */
export function runtimeTools({ region, credentials, endpoint }: AwsRuntime, timeoutMs: number) {
  const service = signedService({ service: "bedrock-agentcore", hostPrefix: "bedrock-agentcore", region, endpoint });

  /** POST alone: the server neither streams by itself nor keeps sessions. The endpoint without a qualifier is DEFAULT. */
  async function signedFetch(path: string, init: RequestInit | undefined, signal: AbortSignal): Promise<Response> {
    if (init?.method !== "POST") return new Response(null, { status: 405 });
    const headers = Object.fromEntries(new Headers(init.headers));
    const answer = await service({ path, headers, body: String(init.body), credentials, signal, timeoutMs });
    const text = await answer.text();
    const type = String(answer.headers["content-type"] ?? "application/json");
    return new Response(text === "" ? null : text, { status: answer.status, headers: { "content-type": type } });
  }

  return async (arn: string): Promise<ProbedTool[]> => {
    const signal = AbortSignal.timeout(timeoutMs);
    const path = `/runtimes/${encodeURIComponent(arn)}/invocations`;
    const url = new URL(`https://bedrock-agentcore.${region}.amazonaws.com${path}`);
    const transport = new StreamableHTTPClientTransport(url, { fetch: (_, init) => signedFetch(path, init, signal) });
    const client = new Client({ name: "archway-probe", version: "1.0.0" }, { versionNegotiation: { mode: "auto" } });
    try {
      await client.connect(transport, { signal, timeout: timeoutMs });
      return (await client.listTools(undefined, { signal, timeout: timeoutMs })).tools.map(probed);
    } catch (error) {
      throw new UpstreamFailure(signal.aborted ? "too_slow" : "runtime_missing", error);
    } finally {
      await client.close().catch(() => {});
    }
  };
}
