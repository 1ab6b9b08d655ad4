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
  // A search is sent to a host that is fixed. Its members api_key and query, which DEFAULT_PARAMETERS replaces too, are left out.
  configuration: [
    {
      name: "DEFAULT_PARAMETERS",
      description: 'Parameters of every search as a JSON object, e.g. {"search_depth":"advanced"}',
      required: false,
      form: {
        kind: "object",
        members: {
          search_depth: { kind: "enum", values: ["basic", "advanced", "fast", "ultra-fast"] },
          time_range: { kind: "enum", values: ["day", "week", "month", "year"] },
          max_results: { kind: "integer", minimum: 5, maximum: 20 },
          country: {
            kind: "text",
            pattern: "[A-Za-z][A-Za-z ,.'()-]{1,59}",
            says: "must be a country's name in English",
          },
          include_images: { kind: "boolean" },
          include_image_descriptions: { kind: "boolean" },
          include_raw_content: { kind: "boolean" },
          include_favicon: { kind: "boolean" },
          exact_match: { kind: "boolean" },
        },
      },
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
  hosts: ["api.tavily.com"],
} satisfies Provider;
