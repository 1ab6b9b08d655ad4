// The provider's server as a process of its own. It starts with the first question, and anew after it has ended.
import { fileURLToPath } from "node:url";
import { type CallToolRequest, type CallToolResult, Client, type ListToolsResult } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

/** A start, and a call, may take as long as AgentCore waits for it. */
const startMs = 30_000;
const callMs = 14 * 60_000;

/** It is the host's own: a setting cannot have this name. */
const nodeOptions = "NODE_OPTIONS";

/** The server reads files. It writes none, and starts no process and no thread, which could leave without the preload. */
const permissions = ["--permission", "--allow-fs-read=*"];

type ProviderServerOptions = {
  environment: Record<string, string | undefined>;
  /**
   * The variables that the server gets. The credentials of the runtime's role are nothing to it, though that role may do nothing, and neither
   * is a variable of which nobody has decided what it would do.
   */
  variables: readonly string[];
  /** A module that is loaded before the server. */
  preload: URL;
};

export class ProviderServer {
  readonly #program: URL;
  readonly #preload: URL;
  readonly #environment: Record<string, string>;
  #client: Promise<Client> | undefined;

  constructor(program: URL, { environment, variables, preload }: ProviderServerOptions) {
    this.#program = program;
    this.#preload = preload;
    const names = [...variables, nodeOptions];
    const given = Object.entries(environment).filter(([name, value]) => value !== undefined && names.includes(name));
    this.#environment = Object.fromEntries(given) as Record<string, string>;
  }

  async list(params: { cursor?: string | undefined } | undefined): Promise<ListToolsResult> {
    const { cursor } = params ?? {};
    return (await this.#connected()).listTools(cursor === undefined ? {} : { cursor });
  }

  async call(params: CallToolRequest["params"]): Promise<CallToolResult> {
    return (await this.#connected()).callTool(params, { timeout: callMs });
  }

  /** Ends the process. */
  async close(): Promise<void> {
    await (await this.#client)?.close();
  }

  #connected(): Promise<Client> {
    this.#client ??= this.#start().catch((error: unknown) => {
      this.#client = undefined;
      throw error;
    });
    return this.#client;
  }

  async #start(): Promise<Client> {
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...permissions, `--import=${this.#preload}`, fileURLToPath(this.#program)],
      env: this.#environment,
      // What the server logs goes nowhere: it may hold what a caller sent.
      stderr: "ignore",
    });
    const client = new Client({ name: "archway-runtime", version: "1.0.0" });
    client.onclose = () => {
      this.#client = undefined;
    };
    await client.connect(transport, { timeout: startMs });
    return client;
  }
}
