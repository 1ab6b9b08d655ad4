// Brave Search: the web by Brave's own index. Its MCP server is the package @brave/brave-search-mcp-server (MIT; read 2026-11, version 2.1.4).
import { monogram } from "./monogram.ts";
import type { Provider } from "./provider.ts";

export const braveSearch = {
  kind: "runtime",
  provider_id: "brave-search",
  name: "Brave Search",
  description: "Search the web, news, pictures, videos and places",
  icon: monogram("B", "#c2331f"),
  secret: {
    label: "API key",
    description: "A subscription token. A registration and each verification make one search with it",
    documentation_url: "https://brave.com/search/api/",
  },
  // BRAVE_API_KEY_FILE names another credential, BRAVE_MCP_TRANSPORT and its like another transport. Tools are offered by the integration.
  configuration: [
    {
      name: "BRAVE_MCP_LOG_LEVEL",
      description: "How much the server says",
      required: false,
      form: { kind: "enum", values: ["debug", "info", "notice", "warning", "error"] },
    },
  ],
  tools: [
    { name: "brave_web_search", description: "Search the web" },
    { name: "brave_local_search", description: "Search places near a location" },
    { name: "brave_video_search", description: "Search videos" },
    { name: "brave_image_search", description: "Search pictures" },
    { name: "brave_news_search", description: "Search news" },
    { name: "brave_summarizer", description: "A summary of what a web search found" },
    { name: "brave_llm_context", description: "What the web says about a question, cut for a model" },
    { name: "brave_place_search", description: "Search points of interest" },
  ],
  auth: { kind: "api_key", location: "header", name: "X-Subscription-Token" },
  // The API answers 422 SUBSCRIPTION_TOKEN_INVALID to a wrong token (nearai/ironclaw#2780), and has no read that costs nothing.
  check: { url: "https://api.search.brave.com/res/v1/web/search?q=brave&count=1", refused_by: [422] },
  package: "@brave/brave-search-mcp-server",
  secret_variable: "BRAVE_API_KEY",
  hosts: ["api.search.brave.com"],
} satisfies Provider;
