// The function `agentcore`, which alone changes what workspaces have at AgentCore. Other functions invoke it, its queue brings work that
// takes longer than a request, and its schedule takes up work that was cut off.
import type { SQSBatchResponse, SQSEvent } from "aws-lambda";
import type { ActionAnswer, ActionRequest } from "../../actions/action.ts";
import { agentCoreActions } from "../../actions/agentcore.ts";
import { processServer, queueDueServers, type ServerJobDependencies } from "../../domain/integrations/server-job.ts";
import { applyServer } from "../../domain/integrations/server-material.ts";
import { type QuotaDependencies, reportQuotas } from "../../domain/marketplace/account-quotas.ts";
import type { GatewayDependencies, ShownGateway } from "../../domain/mcp/gateway-dependencies.ts";
import { processGateway, queueDueGateways } from "../../domain/mcp/gateway-job.ts";
import { requestRemoval } from "../../domain/mcp/gateway-removal.ts";
import { rotateSecret } from "../../domain/mcp/gateway-secret.ts";
import { setUpGateway } from "../../domain/mcp/gateway-setup.ts";
import { type AgentCoreJob, agentCoreJobSchema } from "../../domain/mcp/job.ts";
import { requireDeleted } from "../../domain/provisioning/outside-resources.ts";
import type { Author } from "../../domain/workspace/audit.ts";
import { answerActions } from "../actions.ts";
import { type ScheduledEvent, scheduledJobs } from "../middleware/scheduled-jobs.ts";

export type AgentCoreDependencies = GatewayDependencies & ServerJobDependencies & QuotaDependencies;

export function agentCoreHandler(deps: AgentCoreDependencies) {
  const { store, tenants, jobs, log } = deps;

  const answer = answerActions(
    agentCoreActions,
    {
      set_up_gateway: async (asked) => shown(await setUpGateway(deps, authorOf(asked))),
      rotate_gateway_secret: async (asked) => shown(await rotateSecret(deps, authorOf(asked))),
      async remove_gateway(asked) {
        await requestRemoval(deps, authorOf(asked));
        return {};
      },
      async apply_server({ tenant_id, server_id, ...material }) {
        await applyServer(deps, { tenant_id, server_id }, material);
        return {};
      },
      async remove_server(server) {
        await jobs.send({ kind: "server", ...server });
        return {};
      },
      async remove({ tenant_id }) {
        await requireDeleted(tenants, tenant_id);
        if (!(await store.get(tenant_id))) return { removed: { mcp_gateway: 0 } };
        await requestRemoval(deps, { tenantId: tenant_id, sub: "purge" });
        return { removed: "waiting" as const };
      },
    },
    log,
  );

  const work = (job: AgentCoreJob) =>
    job.kind === "gateway" ? processGateway(deps, job.tenant_id) : processServer(deps, job);

  const processJobs = scheduledJobs({
    async schedule() {
      await queueDueGateways(deps);
      await queueDueServers(deps);
      await reportQuotas(deps);
    },
    body: agentCoreJobSchema,
    work,
    log,
  });

  return async (
    event: ActionRequest | SQSEvent | ScheduledEvent,
  ): Promise<ActionAnswer | SQSBatchResponse | undefined> => ("action" in event ? answer(event) : processJobs(event));
}

function authorOf({ tenant_id, actor }: { tenant_id: string; actor: string }): Author {
  return { tenantId: tenant_id, sub: actor };
}

function shown({ gateway, clientSecret }: ShownGateway) {
  return { gateway, client_secret: clientSecret };
}
