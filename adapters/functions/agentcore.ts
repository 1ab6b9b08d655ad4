// The workspaces' MCP gateways, which the function `agentcore` makes and removes.

import { agentCoreActions } from "../../actions/agentcore.ts";
import type { ServerWork } from "../../domain/integrations/server-change.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { OwnerGateways } from "../../domain/mcp/owner-gateways.ts";
import type { OutsideResources } from "../../domain/provisioning/outside-resources.ts";
import type { Author } from "../../domain/workspace/audit.ts";
import type { Invocation } from "./invocation.ts";

/** Each call throws Refusal `gateway_unavailable` if there is no answer in time. What was begun goes on, and a repeat finds it. */
export function askedAgentCore(arn: string, invoke: Invocation): OwnerGateways & ServerWork & OutsideResources {
  const ask = invoke({ name: "agentcore", arn, actions: agentCoreActions, unavailable });
  return {
    steps: [],
    setUp: async () => {},
    remove: async (tenantId) => (await ask("remove", { tenant_id: tenantId })).removed,
    async setUpGateway(author) {
      const { gateway, client_secret: clientSecret } = await ask("set_up_gateway", inputOf(author));
      return { gateway, clientSecret };
    },
    async rotateSecret(author) {
      const { gateway, client_secret: clientSecret } = await ask("rotate_gateway_secret", inputOf(author));
      return { gateway, clientSecret };
    },
    async applyServer({ tenant_id, server_id }, { entries, ...material }) {
      await ask("apply_server", { tenant_id, server_id, ...material, entries: entries && [...entries] });
    },
    removeServer: async ({ tenant_id, server_id }) => void (await ask("remove_server", { tenant_id, server_id })),
    removeGateway: async (author) => void (await ask("remove_gateway", inputOf(author))),
  };
}

function inputOf({ tenantId, sub }: Author) {
  return { tenant_id: tenantId, actor: sub };
}

function unavailable(cause: unknown): Refusal {
  const message = "The MCP gateway service did not answer in time. Try again in a moment.";
  return new Refusal("gateway_unavailable", message, { cause });
}
