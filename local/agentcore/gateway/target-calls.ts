// What a gateway asks of its targets: their tools, and calls of them, with the credential of each.
import type { Gateway } from "../gateways.ts";
import { type SchemaSource, serverOf, type TargetDefinition } from "../target-input.ts";
import type { Offer, OfferedTool } from "../targets.ts";
import { callOperation, type Fetch, type ToolResult } from "./openapi-call.ts";
import { openApiTools } from "./openapi-tools.ts";
import type { OutboundCredential } from "./outbound-credential.ts";
import { callTool, listTools, type Upstream } from "./upstream-server.ts";

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

  /** The tools of a definition, read now. @throws Error with a reason for people. */
  async read(gateway: Gateway, definition: TargetDefinition): Promise<OfferedTool[]> {
    const { mcp } = definition.targetConfiguration;
    if ("openApiSchema" in mcp) return openApiTools(await this.#text(gateway, mcp.openApiSchema));
    const { mcpServer } = mcp;
    if (mcpServer.mcpToolSchema) {
      const listed = JSON.parse(await this.#text(gateway, mcpServer.mcpToolSchema)) as { tools: OfferedTool["tool"][] };
      return listed.tools.map((tool) => ({ tool }));
    }
    if (mcpServer.listingMode === "DYNAMIC") return [];
    const upstream = await this.#upstream(gateway, definition, mcpServer.endpoint);
    const tools = await listTools(upstream).catch((error: Error) => {
      throw new Error(`Failed to connect and fetch tools from the provided MCP target server: ${error.message}`);
    });
    return tools.map((tool) => ({ tool }));
  }

  /** The offers with the tools of DYNAMIC targets, which are asked anew each time. One that does not answer offers nothing. */
  async current(gateway: Gateway, offers: Offer[]): Promise<Offer[]> {
    return Promise.all(
      offers.map(async (offer) => {
        const server = serverOf(offer.definition);
        if (server?.listingMode !== "DYNAMIC") return offer;
        const upstream = await this.#upstream(gateway, offer.definition, server.endpoint);
        const tools = await listTools(upstream).catch(() => []);
        return { ...offer, tools: tools.map((tool) => ({ tool })) };
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
      const credential = await this.#options.credentialFor(gateway, definition);
      const passed = { ...credential, headers: { ...propagated(definition, headers), ...credential.headers } };
      const fetch = this.#options.fetchFor(gateway, definition);
      if (operation) return await callOperation(operation, given, passed, fetch);
      const endpoint = serverOf(definition)?.endpoint ?? "";
      return await callTool({ endpoint, credential: passed, fetch }, tool.name, given);
    } catch (error) {
      const general = "An internal error occurred. Please retry later.";
      const text = gateway.definition.exceptionLevel === "DEBUG" ? (error as Error).message : general;
      return { content: [{ type: "text", text }], isError: true };
    }
  }

  async #upstream(gateway: Gateway, definition: TargetDefinition, endpoint: string): Promise<Upstream> {
    const credential = await this.#options.credentialFor(gateway, definition);
    return { endpoint, credential, fetch: this.#options.fetchFor(gateway, definition) };
  }

  async #text(gateway: Gateway, source: SchemaSource): Promise<string> {
    return "inlinePayload" in source ? source.inlinePayload : this.#options.readObject(gateway, source.s3.uri);
  }
}

/** The headers of the client or the interceptor that the target's definition lets through. */
function propagated({ metadataConfiguration }: TargetDefinition, headers: Record<string, string>) {
  const allowed = (metadataConfiguration?.allowedRequestHeaders ?? []).map((name) => name.toLowerCase());
  return Object.fromEntries(Object.entries(headers).filter(([name]) => allowed.includes(name)));
}
