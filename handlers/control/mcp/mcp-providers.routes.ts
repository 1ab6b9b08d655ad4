// The route of the marketplace's catalog, as data.
import * as z from "zod";
import { shownProviderSchema } from "../../../domain/marketplace/provider.ts";
import type { Route } from "../routing/route.ts";

export const mcpProviderRoutes = {
  listMcpProviders: {
    method: "GET",
    path: "/v1/mcp-providers",
    access: "member",
    summary: "List the providers of the marketplace. A workspace registers one with nothing but its credential",
    response: z
      .object({ data: z.array(shownProviderSchema).describe("The providers, sorted by id") })
      .meta({ id: "McpProviders", description: "The providers of the marketplace" }),
    example: {
      response: {
        data: [
          {
            provider_id: "tavily",
            name: "Tavily",
            description: "Search the web, and read, crawl and map websites",
            icon: "data:image/svg+xml,%3Csvg%20xmlns%3D%22http%3A%2F%2Fwww.w3.org%2F2000%2Fsvg%22%2F%3E",
            kind: "runtime",
            secret: {
              label: "API key",
              description: "A key that begins with tvly-",
              documentation_url: "https://docs.tavily.com/documentation/quickstart",
            },
            configuration: [
              {
                name: "DEFAULT_PARAMETERS",
                description: "Parameters of every search as a JSON object",
                required: false,
                form: { kind: "object", members: { search_depth: { kind: "enum", values: ["basic", "advanced"] } } },
              },
            ],
            tools: [{ name: "tavily_search", description: "Search the web" }],
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Route>;
