// Asks upstreams: the tools of an MCP server by the protocol's own client, which speaks both of its eras, and one read from an API.
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import type { Credential, Upstream } from "../../domain/upstream/upstream.ts";
import { refusalOfAnswer, UpstreamFailure } from "../../domain/upstream/upstream-failure.ts";
import { probed } from "./probed-tool.ts";
import { type PublicFetchOptions, publicFetch } from "./public-fetch.ts";

export type UpstreamOptions = Pick<PublicFetchOptions, "resolve" | "request"> & { timeoutMs: number };

/** The most bytes of all answers of an upstream: a thousand tools with their schemas are less. */
const mostBytes = 4 * 1_048_576;
/** A target's quota (bedrock-agentcore/latest/devguide/bedrock-agentcore-limits.html). */
const mostTools = 1_000;
const mostPages = 50;

/** Makes the upstream of one probe; another probe gets another one, as limits and failures are counted in it. */
export function upstream({ timeoutMs, ...options }: UpstreamOptions): Upstream {
  const signal = AbortSignal.timeout(timeoutMs);
  const guarded = publicFetch({ signal, mostBytes, ...options });

  return {
    async requirePublic(url) {
      await guarded.addressesOf(new URL(url));
    },

    async tools(endpoint, credential) {
      const { url, headers } = withCredential(endpoint, credential);
      let refused: UpstreamFailure | undefined;
      const transport = new StreamableHTTPClientTransport(url, {
        requestInit: { headers, redirect: "error" },
        reconnectionOptions: {
          maxRetries: 0,
          initialReconnectionDelay: 0,
          maxReconnectionDelay: 0,
          reconnectionDelayGrowFactor: 1,
        },
        onInsufficientScope: "throw",
        fetch: async (to, init) => {
          const answer = await guarded.fetch(to, init);
          if (init?.method === "POST") {
            const challenge = answer.headers.get("www-authenticate");
            refused = refusalOfAnswer(answer.status, challenge, credential !== undefined) ?? refused;
          }
          return answer;
        },
      });
      const client = new Client(
        { name: "archway-probe", version: "1.0.0" },
        { versionNegotiation: { mode: "auto" }, listMaxPages: mostPages },
      );
      try {
        const within = { signal: AbortSignal.any([signal, guarded.spent]), timeout: timeoutMs };
        const list = async () => {
          await client.connect(transport, within);
          return (await client.listTools(undefined, within)).tools;
        };
        // The client goes on waiting for an answer whose stream broke off.
        const tools = await Promise.race([list(), whenAborted(within.signal)]);
        return tools.slice(0, mostTools).map(probed);
      } catch (error) {
        if (guarded.spent.aborted) throw new UpstreamFailure("too_large", error);
        if (signal.aborted) throw new UpstreamFailure("too_slow", error);
        throw refused ?? guarded.failure() ?? new UpstreamFailure("not_mcp", error);
      } finally {
        await client.close().catch(() => {});
      }
    },

    async read(address, credential, reading = {}) {
      const { url, headers } = withCredential(address, credential);
      const answer = await guarded.fetch(url, {
        headers: { ...reading.headers, ...headers, accept: "application/json" },
      });
      await answer.body?.cancel();
      if (reading.refusedBy?.includes(answer.status)) throw new UpstreamFailure("credential_refused");
      const refused = refusalOfAnswer(answer.status, answer.headers.get("www-authenticate"), credential !== undefined);
      if (refused) throw refused;
      return answer.status;
    },
  };
}

function whenAborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, fail) => signal.addEventListener("abort", () => fail(signal.reason), { once: true }));
}

function withCredential(address: string, credential: Credential | undefined) {
  const url = new URL(address);
  if (!credential) return { url, headers: {} as Record<string, string> };
  const { location, name, prefix, secret } = credential;
  const value = prefix === undefined ? secret : `${prefix} ${secret}`;
  if (location === "query") url.searchParams.set(name, value);
  return { url, headers: location === "header" ? { [name]: value } : ({} as Record<string, string>) };
}
