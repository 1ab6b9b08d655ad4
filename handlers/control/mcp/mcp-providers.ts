// The marketplace's catalog over HTTP.
import { shownProvider } from "../../../domain/marketplace/provider.ts";
import { providers } from "../../../domain/marketplace/providers.ts";
import type { Operations } from "../routing/operation.ts";
import type { mcpProviderRoutes } from "./mcp-providers.routes.ts";

export function mcpProviderOperations(): Operations<typeof mcpProviderRoutes> {
  return {
    listMcpProviders: async () => ({ data: providers.map(shownProvider) }),
  };
}
