// Tavily: web search made for models. Its MCP server is the package tavily-mcp (MIT), whose tools these are (read 2026-11, version 0.2.22).
import { monogram } from "./monogram.ts";
import type { Provider } from "./provider.ts";

export const tavily = {
  kind: "runtime",
  provider_id: "tavily",
  name: "Tavily",
  description: "Search the web, and read, crawl and map websites",
  icon: monogram("T", "#2a5bd7"),
  secret: {
    label: "API key",
    description: "A key that begins with tvly-",
    documentation_url: "https://docs.tavily.com/documentation/quickstart",
  },
  configuration: [
    {
      name: "DEFAULT_PARAMETERS",
      description: 'Parameters of every search as a JSON object, e.g. {"search_depth":"advanced"}',
      required: false,
    },
  ],
  tools: [
    { name: "tavily_search", description: "Search the web" },
    { name: "tavily_extract", description: "The content of pages, as Markdown or text" },
    { name: "tavily_crawl", description: "The content of a website, from an address on" },
    { name: "tavily_map", description: "The addresses of a website" },
    { name: "tavily_research", description: "A longer search with a report" },
  ],
  auth: { kind: "bearer" },
  check: { url: "https://api.tavily.com/usage" },
  package: "tavily-mcp",
  secret_variable: "TAVILY_API_KEY",
} satisfies Provider;
