// OpenAPI documents over HTTP, before they are registered.
import { checkCandidate } from "../../../domain/integrations/server-request.ts";
import { uploadSeconds } from "../../../domain/integrations/spec-object.ts";
import type { ControlDependencies } from "../dependencies.ts";
import type { Operations } from "../routing/operation.ts";
import type { mcpSpecRoutes } from "./mcp-specs.routes.ts";

type Dependencies = Pick<ControlDependencies, "specUploads" | "probe" | "clock" | "newId">;

export function mcpSpecOperations({
  specUploads,
  probe,
  clock,
  newId,
}: Dependencies): Operations<typeof mcpSpecRoutes> {
  return {
    async uploadMcpSpec({ caller, body: { bytes } }) {
      const limits = { bytes, seconds: uploadSeconds };
      const expiresAt = new Date(clock() + uploadSeconds * 1_000).toISOString();
      const { url, uri } = await specUploads.addressFor(caller.tenantId, newId(), limits);
      return { upload_url: url, spec_uri: uri, expires_at: expiresAt };
    },

    checkMcpSpec: ({ caller, body }) =>
      probe.check(caller.tenantId, checkCandidate(specUploads, caller.tenantId, body)),
  };
}
