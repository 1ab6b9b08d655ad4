// The workspace's integrations over HTTP.
import { type McpServer, requireServer } from "../../../domain/integrations/mcp-server.ts";
import { changeServer, registerServer, removeServer } from "../../../domain/integrations/server-change.ts";
import { verifyServer } from "../../../domain/integrations/server-verification.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { searchTimes } from "../../../domain/tools/tool-call-search.ts";
import { toolWarnings } from "../../../domain/tools/tool-name.ts";
import type { ControlDependencies } from "../dependencies.ts";
import { pageAnswer } from "../routing/list-query.ts";
import type { Operations } from "../routing/operation.ts";
import type { mcpServerRoutes } from "./mcp-servers.routes.ts";
import { cursorAt, placeOf } from "./search-place.ts";

type Dependencies = Pick<
  ControlDependencies,
  "mcpServers" | "mcpGateways" | "probe" | "serverWork" | "specUploads" | "toolCalls" | "clock" | "newId"
>;

/** The name under which the shown commands add the gateway to a client (mcp-gateway.ts). */
const connector = "archway";

export function mcpServerOperations(deps: Dependencies): Operations<typeof mcpServerRoutes> {
  const { mcpServers, toolCalls, clock } = deps;

  const shown = (server: McpServer) => {
    const all = Object.keys(server.known_tools);
    const byOwner = server.owner_rules && { set_by_owner: server.owner_rules };
    const tools = { all, ...(server.tool_rules ?? { owners_only: [] }), ...byOwner };
    return { ...server, tools, tool_warnings: toolWarnings(connector, server.name, all) };
  };

  return {
    async listMcpServers({ caller, query }) {
      const { items, next } = await mcpServers.list(caller.tenantId, query);
      return pageAnswer({ items: items.map(shown), next });
    },

    async registerMcpServer({ caller, body }) {
      const { newId, create } = await registerServer(deps, caller, body);
      return { newId, create: async (id) => shown(await create(id)) };
    },

    getMcpServer: async ({ caller, parameters: { server_id } }) =>
      shown(await requireServer(mcpServers, caller.tenantId, server_id)),

    changeMcpServer: async ({ caller, parameters: { server_id }, body, ifMatch }) =>
      shown(await changeServer(deps, caller, server_id, { body, ifMatch })),

    async deleteMcpServer({ caller, parameters: { server_id }, ifMatch }) {
      await removeServer(deps, caller, server_id, ifMatch);
      return undefined;
    },

    async getMcpServerReport({ caller, parameters: { server_id } }) {
      const { tenant_id } = await requireServer(mcpServers, caller.tenantId, server_id);
      const report = await deps.probe.report(tenant_id, server_id);
      if (report) return report;
      throw new Refusal("not_found", "The integration has no OpenAPI document");
    },

    async verifyMcpServer({ caller, parameters: { server_id } }) {
      const verification = await verifyServer(deps, caller, server_id);
      const { name } = await requireServer(mcpServers, caller.tenantId, server_id);
      return { ...verification, tool_warnings: toolWarnings(connector, name, verification.tools) };
    },

    async listMcpServerLogs({ caller, parameters: { server_id }, query: { page, filter } }) {
      const server = await requireServer(mcpServers, caller.tenantId, server_id);
      const { from, to, tool, caller_id, outcome } = filter;
      const now = clock();
      const place = placeOf(page.after, { limit: page.limit, most: toolCalls.mostFound });
      const end = place ? new Date(place.to).toISOString() : to;
      const times = searchTimes({ from, to: end, now, createdAt: server.created_at });
      // Nothing was logged before the integration, or is kept longer than the log.
      if (times.from >= times.to) return pageAnswer({ items: [], next: undefined });
      const shownBefore = place?.shown ?? 0;
      const found = await toolCalls.search({
        tenantId: caller.tenantId,
        target: server.name,
        ...times,
        ...{ tool, caller_id, outcome },
        // The search asks for one line more than is shown: it tells whether there are more.
        limit: shownBefore + page.limit + 1,
      });
      const items = found.slice(shownBefore, shownBefore + page.limit);
      const isMore = found.length > shownBefore + page.limit;
      const next = isMore ? cursorAt({ to: times.to, shown: shownBefore + items.length }) : undefined;
      return pageAnswer({ items, next });
    },
  };
}
