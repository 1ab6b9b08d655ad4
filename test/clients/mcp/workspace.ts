// A workspace as its owner prepares it for MCP clients: a gateway, and an integration of each kind that is ready.
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import type { Person, Stack } from "../../../local/running-stack.ts";
import { apiKey, document, names, providerKey } from "./upstreams.ts";

/** What `POST /v1/mcp-gateway` answers. */
export type Gateway = {
  endpoint: string;
  client_id: string;
  client_secret: string;
  public_client_id: string;
  commands: { claude_code: string; inspector: string };
};

export type Workspace = {
  stack: Stack;
  /** Who uses the clients. */
  person: Person;
  gateway: Gateway;
  /** The base address of the model proxy, and a key for it. */
  proxy: { baseUrl: string; key: string };
};

/** One call of each integration: the tool as the gateway names it, what it is given, and a text that stands in its answer alone. */
export const calls = [
  { tool: "everything___echo", input: { message: "arch-4711" }, answer: "Echo: arch-4711" },
  { tool: "pets___getPet", input: { id: "4712" }, answer: "Pet 4712" },
  { tool: "tavily___tavily_search", input: { query: "cats" }, answer: "Cats purr." },
] as const;

/** After this a client's token is over, and it has to get another one by itself. */
export const tokenMs = 16 * 60_000;

const integrations = [
  {
    name: "everything",
    target_mode: "mcp_server",
    endpoint: `https://${names.everything}/mcp`,
    auth: { kind: "none" },
  },
  {
    name: "pets",
    target_mode: "openapi",
    spec: document,
    auth: { kind: "api_key", name: "x-api-key", secret: apiKey },
  },
  { provider_id: "tavily", secret: providerKey },
];

export async function prepareWorkspace(stack: Stack): Promise<Workspace> {
  const { demo } = stack;
  if (!demo) throw new Error("the stack has no demo workspace");
  const token = await consoleToken(stack, demo.owner);
  const call = (method: string, path: string, body: object) => callControlPlane(stack, token, method, path, body);
  const gateway = (await call("POST", "/v1/mcp-gateway", {})) as Gateway;
  await stack.queuePoller.idle();
  for (const integration of integrations) {
    const { server_id, name } = (await call("POST", "/v1/mcp-servers", integration)) as {
      server_id: string;
      name: string;
    };
    await stack.queuePoller.idle();
    const { verified, reason } = (await call("POST", `/v1/mcp-servers/${server_id}/verify`, {})) as {
      verified: boolean;
      reason?: string;
    };
    if (!verified) throw new Error(`${name} was not verified: ${reason}`);
  }
  const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 100 };
  const made = await call("POST", "/v1/keys", { name: "mcp clients", kind: "service_account", grant });
  const { key } = made as { key: string };
  return {
    stack,
    person: demo.developer,
    gateway,
    proxy: { baseUrl: `${stack.at(`${demo.slug}.proxy`)}/vendor`, key },
  };
}
