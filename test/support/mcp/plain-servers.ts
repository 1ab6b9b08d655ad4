// Integrations that are ready at once, with AgentCore, the upstreams, the bucket and the log left out.
import type { McpServerStore } from "../../../domain/integrations/mcp-server.ts";
import type { ControlDependencies } from "../../../handlers/control/dependencies.ts";
import { aRegisteredSpec } from "./registered-spec.ts";

type Plain = Pick<ControlDependencies, "probe" | "serverWork" | "specUploads" | "toolCalls">;

const plainSpec = aRegisteredSpec();

export function plainServers(store: McpServerStore): Plain {
  return {
    probe: {
      examine: async (_, candidate) => ({
        tools: [{ name: "list_pets", digest: "1" }],
        ...(candidate.target_mode === "openapi" && { spec: plainSpec }),
      }),
      check: async () => plainSpec.report,
      report: async () => plainSpec.report,
      verify: async () => ({ tools: [{ name: "list_pets", digest: "1" }] }),
    },
    serverWork: {
      async applyServer({ tenant_id, server_id }) {
        const server = await store.get(tenant_id, server_id);
        const taken = server?.tools_found_at;
        const done = { state: "ready", gateway_target_id: "T1", ...(taken && { tools_taken_at: taken }) } as const;
        if (server) await store.change(server, done);
      },
      async removeServer({ tenant_id, server_id }) {
        const server = await store.get(tenant_id, server_id);
        if (server) await store.remove(server, Date.now());
      },
    },
    specUploads: {
      addressFor: async (tenantId, upload) => ({
        url: `https://specs.example.com/${upload}?signature=1`,
        uri: `s3://specs/uploads/${tenantId}/${upload}`,
      }),
      uploadOf: (tenantId, uri) => {
        const prefix = `s3://specs/uploads/${tenantId}/`;
        return uri.startsWith(prefix) ? uri.slice(prefix.length) : undefined;
      },
    },
    toolCalls: { mostFound: 10_000, search: async () => [] },
  };
}
