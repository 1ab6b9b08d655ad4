// The gateways' own hosts: `https://<id>.gateway.bedrock-agentcore.<region>.amazonaws.com/mcp`, with the document of RFC 9728.
import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { flatHeaders } from "../../lambda/event.ts";
import { readBody } from "../../request-body.ts";
import type { GatewayRole } from "./gateway-role.ts";
import { type Gateway, type Gateways, gatewayHost } from "./gateways.ts";
import { interceptRequest, interceptResponse, type McpRequest, type McpResponse } from "./interceptor.ts";
import { type JwtAuthorizer, Unauthorized } from "./jwt-authorizer.ts";
import { answerMessage } from "./mcp-face.ts";
import { dimensionsOf, type RateLimiter } from "./rate-limiter.ts";
import type { TargetCalls } from "./target-calls.ts";
import type { Targets } from "./targets.ts";

const hostPattern = /^([0-9a-z-]+)\.gateway\.bedrock-agentcore\.([a-z0-9-]+)\.amazonaws\.com$/;
const metadataPaths = ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"];
/** The quota "payload size". */
const maxBodyBytes = 6 * 1024 * 1024;

export type GatewayHostParts = {
  gateways: Gateways;
  targets: Targets;
  authorizer: JwtAuthorizer;
  targetCalls: TargetCalls;
  role: GatewayRole;
  rateLimiter: RateLimiter;
  invoke: (functionArn: string, event: unknown) => Promise<unknown>;
};

/** Whether a name is a gateway's host, of any gateway. */
export function isGatewayHost(host: string): boolean {
  return hostPattern.test(host);
}

export class GatewayHost {
  readonly #parts: GatewayHostParts;

  constructor(parts: GatewayHostParts) {
    this.#parts = parts;
  }

  matches(host: string): boolean {
    return isGatewayHost(host);
  }

  /** @param baseUrl the host's address for the client, with its prefix if there is one */
  async handle(request: IncomingMessage, response: ServerResponse, baseUrl: string): Promise<void> {
    const path = request.url?.split("?")[0] ?? "";
    const gateway = this.#gatewayAt(request.headers.host ?? "");
    if (!gateway) return send(response, 404, { message: "Gateway not found" });
    if (metadataPaths.includes(path)) return send(response, 200, await this.#metadata(gateway, baseUrl));
    if (path !== "/mcp") return send(response, 404, { message: "Not found" });
    const body = await readBody(request, maxBodyBytes);
    if (body === undefined) return send(response, 413, { message: "Request payload is too large" });
    try {
      await this.#answer(gateway, request, body.toString("utf8"), response);
    } catch (error) {
      if (!(error instanceof Unauthorized)) throw error;
      const challenge = `Bearer resource_metadata="${baseUrl}${metadataPaths[0]}"`;
      const more = error.status === 401 ? challenge : `${challenge}, error="insufficient_scope"`;
      send(response, error.status, failure(error.message, -32001), { "www-authenticate": more });
    }
  }

  #gatewayAt(host: string): Gateway | undefined {
    const gateway = this.#parts.gateways.find(hostPattern.exec(host)?.[1] ?? "");
    return gateway && gateway.status !== "CREATING" && gatewayHost(gateway) === host ? gateway : undefined;
  }

  async #metadata({ definition }: Gateway, baseUrl: string) {
    const { customJWTAuthorizer: rules } = definition.authorizerConfiguration;
    const scopes = rules.allowedScopes && { scopes_supported: rules.allowedScopes };
    return {
      resource: `${baseUrl}/mcp`,
      authorization_servers: [await this.#parts.authorizer.issuerOf(rules)],
      ...scopes,
    };
  }

  async #answer(gateway: Gateway, incoming: IncomingMessage, text: string, outgoing: ServerResponse): Promise<void> {
    const { authorizer, targets, targetCalls } = this.#parts;
    const headers = flatHeaders(incoming.headers);
    const claims = await authorizer.check(
      gateway.definition.authorizerConfiguration.customJWTAuthorizer,
      headers.authorization,
    );
    // Without sessions there is nothing to listen to and nothing to end.
    if (incoming.method !== "POST") return send(outgoing, 405, failure("Method not allowed."), { allow: "POST" });
    const parsed = jsonOf(text);
    if (!parsed) return send(outgoing, 400, failure("Parse error", -32700));
    if (!this.#parts.rateLimiter.takes(gateway, dimensionsOf(parsed.body, claims))) {
      return send(outgoing, 429, answering(parsed.body, failure("Rate limit exceeded")));
    }
    const passed = await this.#intercepted(() => interceptRequest(gateway, { text, headers, ...parsed }, this.#parts));
    if ("problem" in passed) return send(outgoing, 200, explained(gateway, parsed.body, passed.problem));
    if ("response" in passed)
      return send(outgoing, passed.response.status, passed.response.body, passed.response.headers);
    const { request } = passed;
    const asked = new Request(`https://${gatewayHost(gateway)}/mcp`, {
      method: "POST",
      headers: request.headers,
      body: JSON.stringify(request.body),
    });
    const offers = await targetCalls.current(gateway, targets.offers(gateway.id));
    const response = await answerMessage(asked, request.body, {
      gateway,
      offers,
      call: (offer, tool, given) => targetCalls.call(gateway, offer, tool, given, request.headers),
      pass: (offer, question) => targetCalls.pass(gateway, offer, question, request.headers),
    });
    await this.#pass(gateway, request, response, outgoing);
  }

  /** A stream passes as it comes. A message goes through the interceptor of responses first. */
  async #pass(gateway: Gateway, request: McpRequest, response: Response, outgoing: ServerResponse): Promise<void> {
    const headers = Object.fromEntries(response.headers);
    if (headers["content-type"]?.startsWith("text/event-stream") && response.body) {
      outgoing.writeHead(response.status, headers);
      Readable.fromWeb(response.body as ReadableStream).pipe(outgoing);
      return;
    }
    const text = await response.text();
    const given: McpResponse = { status: response.status, headers, body: jsonOf(text)?.body ?? null };
    const passed = await this.#intercepted(async () => ({
      response: await interceptResponse(gateway, request, given, this.#parts),
    }));
    if ("problem" in passed) return send(outgoing, 200, explained(gateway, request.body, passed.problem));
    if (text === "" && passed.response.body === null) {
      outgoing.writeHead(response.status, headers).end();
      return;
    }
    send(outgoing, passed.response.status, passed.response.body);
  }

  async #intercepted<T extends object>(act: () => Promise<T>): Promise<T | { problem: string }> {
    try {
      return await act();
    } catch (error) {
      return { problem: (error as Error).message };
    }
  }
}

/** The reason is told with the exception level DEBUG only. */
function explained({ definition }: Gateway, asked: unknown, problem: string) {
  const general = "An internal error occurred. Please retry later.";
  return answering(asked, failure(definition.exceptionLevel === "DEBUG" ? problem : general, -32603));
}

/** The answer with the id of the message that it answers. */
function answering<F extends ReturnType<typeof failure>>(asked: unknown, answer: F): F {
  return { ...answer, id: (asked as { id?: string | number } | null)?.id ?? null };
}

function failure(message: string, code = -32000) {
  return { jsonrpc: "2.0", id: null as string | number | null, error: { code, message } };
}

function jsonOf(text: string): { body: unknown } | undefined {
  try {
    return { body: JSON.parse(text) };
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, status: number, body: unknown, headers: Record<string, string> = {}): void {
  const text = JSON.stringify(body);
  // The length is that of the body that is sent, whatever an interceptor says.
  const { "content-length": _, ...others } = headers;
  response.writeHead(status, {
    "content-type": "application/json",
    ...others,
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}
