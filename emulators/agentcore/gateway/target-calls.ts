// What a gateway asks of its targets, with the credential of each: what they offer, calls of their tools, prompts and resources.
import { ProtocolError, ProtocolErrorCode } from "@modelcontextprotocol/server";
import type { Gateway } from "./gateways.ts";
import type { PassedQuestion } from "./mcp-face.ts";
import { callOperation, type Fetch, type ToolResult } from "./openapi-call.ts";
import { openApiTools } from "./openapi-tools.ts";
import type { OutboundCredential } from "./outbound-credential.ts";
import { type SchemaSource, serverOf, type TargetDefinition } from "./target-input.ts";
import type { Offer, Offered, OfferedTool } from "./targets.ts";
import { callTool, listAll, passQuestion, type Upstream } from "./upstream-server.ts";

type TargetCallsOptions = {
  /** Reaches a target; signed as the gateway's role where the definition says so. */
  fetchFor: (gateway: Gateway, definition: TargetDefinition) => Fetch;
  credentialFor: (gateway: Gateway, definition: TargetDefinition) => Promise<OutboundCredential>;
  /** Reads an object of a bucket as the gateway's role. */
  readObject: (gateway: Gateway, uri: string) => Promise<string>;
};

export class TargetCalls {
  readonly #options: TargetCallsOptions;

  constructor(options: TargetCallsOptions) {
    this.#options = options;
  }

  /** What a definition offers, read now. @throws Error with a reason for people. */
  async read(gateway: Gateway, definition: TargetDefinition): Promise<Offered> {
    const { mcp } = definition.targetConfiguration;
    if ("openApiSchema" in mcp) return { tools: openApiTools(await this.#text(gateway, mcp.openApiSchema)) };
    const { mcpServer } = mcp;
    if (mcpServer.mcpToolSchema) {
      const listed = JSON.parse(await this.#text(gateway, mcpServer.mcpToolSchema)) as { tools: OfferedTool["tool"][] };
      return { tools: listed.tools.map((tool) => ({ tool })) };
    }
    if (mcpServer.listingMode === "DYNAMIC") return { tools: [] };
    const upstream = await this.#upstream(gateway, definition);
    return listAll(upstream).catch((error: Error) => {
      throw new Error(`Failed to connect and fetch tools from the provided MCP target server: ${error.message}`);
    });
  }

  /** The offers with those of DYNAMIC targets, which are asked anew each time. One that does not answer offers nothing. */
  async current(gateway: Gateway, offers: Offer[]): Promise<Offer[]> {
    return Promise.all(
      offers.map(async (offer) => {
        const server = serverOf(offer.definition);
        if (server?.listingMode !== "DYNAMIC") return offer;
        const upstream = await this.#upstream(gateway, offer.definition);
        const offered = await listAll(upstream).catch(() => ({ tools: [] }));
        return { ...offered, definition: offer.definition };
      }),
    );
  }

  /** A failure is a result that says so, for the model to read. */
  async call(
    gateway: Gateway,
    { definition }: Offer,
    { tool, operation }: OfferedTool,
    given: Record<string, unknown>,
    headers: Record<string, string>,
  ): Promise<ToolResult> {
    try {
      const upstream = await this.#upstream(gateway, definition, headers);
      if (operation) return await callOperation(operation, given, upstream.credential, upstream.fetch);
      return await callTool(upstream, tool.name, given);
    } catch (error) {
      return { content: [{ type: "text", text: told(gateway, error) }], isError: true };
    }
  }

  /** @throws ProtocolError as the server refuses, or because it cannot be asked */
  async pass(
    gateway: Gateway,
    { definition }: Offer,
    question: PassedQuestion,
    headers: Record<string, string>,
  ): Promise<object> {
    try {
      return await passQuestion(await this.#upstream(gateway, definition, headers), question);
    } catch (error) {
      const { code, message } = error as { code?: unknown; message: string };
      if (typeof code === "number") throw new ProtocolError(code, message);
      throw new ProtocolError(ProtocolErrorCode.InternalError, told(gateway, error));
    }
  }

  /** @param headers of the client or the interceptor */
  async #upstream(
    gateway: Gateway,
    definition: TargetDefinition,
    headers: Record<string, string> = {},
  ): Promise<Upstream> {
    const credential = await this.#options.credentialFor(gateway, definition);
    return {
      endpoint: serverOf(definition)?.endpoint ?? "",
      credential: { ...credential, headers: { ...propagated(definition, headers), ...credential.headers } },
      fetch: this.#options.fetchFor(gateway, definition),
    };
  }

  async #text(gateway: Gateway, source: SchemaSource): Promise<string> {
    return "inlinePayload" in source ? source.inlinePayload : this.#options.readObject(gateway, source.s3.uri);
  }
}

/** The reason is told with the exception level DEBUG only. */
function told({ definition }: Gateway, error: unknown): string {
  return definition.exceptionLevel === "DEBUG"
    ? (error as Error).message
    : "An internal error occurred. Please retry later.";
}

/** The headers of the client or the interceptor that the target's definition lets through. */
function propagated({ metadataConfiguration }: TargetDefinition, headers: Record<string, string>) {
  const allowed = (metadataConfiguration?.allowedRequestHeaders ?? []).map((name) => name.toLowerCase());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => allowed.includes(name)));
}
