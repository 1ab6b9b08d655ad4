// Calls of the proxy of a running stack, as a client without an SDK makes them, and callers of their own to make them as.
import { consoleToken } from "../../local/demo/app-client.ts";
import { callControlPlane } from "../../local/demo/workspace.ts";
import type { Stack } from "../../local/stack.ts";

/** A streamed request; its text goes with any field that a test sets. */
export const aRequest = {
  model: "claude-sonnet-5",
  max_tokens: 100,
  stream: true,
  messages: [{ role: "user", content: "Hello" }],
};

export type ClientOptions = {
  /** An API key; the demo's unless another is given. */
  key?: string;
  /** The workspace's slug; the demo's unless another is given. */
  slug?: string;
  path?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal;
};

/** Resolves with the answer's head; its body streams. */
export function ask(stack: Stack, changes: object = {}, options: ClientOptions = {}): Promise<Response> {
  const { key = stack.demo?.api_key ?? "", slug = stack.demo?.slug, path = "/vendor/v1/messages" } = options;
  return fetch(`${stack.at(`${slug}.proxy`)}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-api-key": key, ...options.headers },
    body: JSON.stringify({ ...aRequest, ...changes }),
    ...(options.signal && { signal: options.signal }),
  });
}

export type ServiceAccount = { key: string; key_id: string; caller_id: string };

/** A new service account of the demo workspace: a caller of its own, with this grant over the demo's. */
export async function aServiceAccount(stack: Stack, grant: object = {}): Promise<ServiceAccount> {
  const owner = stack.demo?.owner ?? { email: "", password: "" };
  const input = {
    name: "a test's",
    kind: "service_account",
    grant: {
      allowed_models: ["*"],
      allowed_regions: ["eu-central-1", "us-east-1"],
      monthly_budget_usd: 50,
      ...grant,
    },
  };
  return (await callControlPlane(stack, await consoleToken(stack, owner), "POST", "/v1/keys", input)) as ServiceAccount;
}
