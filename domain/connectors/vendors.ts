// MCP clients of vendors: where they come back to after a sign-in with a gateway's fixed client id, and their metadata documents as they were last
// read. A document is only used while the vendor does not answer; some refuse the addresses of clouds.

export type Vendor = {
  name: string;
  /** The address of the vendor's metadata document, which is the client's id. */
  clientId?: string;
  redirectUris: readonly string[];
};

/** Read on 2026-09-24 and on 2026-11-27. */
export const vendors: readonly Vendor[] = [
  {
    name: "Claude",
    clientId: "https://claude.ai/oauth/mcp-oauth-client-metadata",
    redirectUris: ["https://claude.ai/api/mcp/auth_callback", "https://claude.com/api/mcp/auth_callback"],
  },
  {
    name: "Claude Code",
    clientId: "https://claude.ai/oauth/claude-code-client-metadata",
    redirectUris: ["http://localhost/callback", "http://127.0.0.1/callback"],
  },
  {
    name: "Visual Studio Code",
    clientId: "https://vscode.dev/oauth/client-metadata.json",
    redirectUris: ["http://127.0.0.1/", "https://vscode.dev/redirect", "https://insiders.vscode.dev/redirect"],
  },
  {
    name: "Cursor",
    redirectUris: ["https://www.cursor.com/agents/mcp/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback"],
  },
  {
    name: "ChatGPT",
    clientId: "https://chatgpt.com/oauth/client.json",
    redirectUris: ["https://chatgpt.com/connector_platform_oauth_redirect"],
  },
  {
    name: "Codex",
    clientId: "https://chatgpt.com/oauth/codex/client.json",
    redirectUris: ["http://127.0.0.1/callback", "http://localhost/callback"],
  },
  { name: "Antigravity", redirectUris: ["https://antigravity.google/oauth-callback"] },
  {
    name: "opencode",
    clientId: "https://opencode.ai/oauth/opencode/client.json",
    redirectUris: ["http://127.0.0.1/callback", "http://localhost/callback"],
  },
  {
    name: "Zed",
    clientId: "https://zed.dev/oauth/client-metadata.json",
    redirectUris: ["http://127.0.0.1/callback"],
  },
  {
    name: "Goose",
    clientId: "https://goose-docs.ai/oauth/client-metadata.json",
    redirectUris: ["http://127.0.0.1/oauth_callback"],
  },
  {
    name: "Grok",
    clientId: "https://grok.com/oauth/mcp-client.json",
    redirectUris: ["https://grok.com/connectors-oauth-exchange-code/"],
  },
  { name: "Le Chat", redirectUris: ["https://callback.mistral.ai/v1/integrations_auth/oauth2_callback"] },
  { name: "Perplexity", redirectUris: ["https://www.perplexity.ai/rest/connections/oauth_callback"] },
  { name: "Devin", redirectUris: ["https://api.devin.ai/mcp/oauth/callback"] },
  { name: "n8n", redirectUris: ["https://oauth.n8n.cloud/oauth2/callback"] },
];
