// The function `probe`, which alone asks the addresses that users give.

import { probeActions } from "../../actions/probe.ts";
import type { ServerProbe } from "../../domain/integrations/server-change.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { Invocation } from "./invocation.ts";

/** The caller waits longer than a probe and its cold start may take together (handlers/probe/lambda.ts). */
export const probePatienceMs = 18_000;

/** Each call throws Refusal `gateway_unavailable` if there is no answer in time. */
export function askedProbe(arn: string, invoke: Invocation): ServerProbe {
  const ask = invoke({ name: "probe", arn, actions: probeActions, unavailable });
  return {
    async examine(tenantId, candidate) {
      const { tools, spec, untried } = await ask("examine", { tenant_id: tenantId, candidate });
      return { tools, ...(spec && { spec }), ...(untried && { untried }) };
    },
    check: (tenantId, candidate) => ask("check", { tenant_id: tenantId, candidate }),
    report: async (tenantId, serverId) => (await ask("report", { tenant_id: tenantId, server_id: serverId })).report,
    verify: async (tenantId, serverId) => (await ask("verify", { tenant_id: tenantId, server_id: serverId })).outcome,
  };
}

function unavailable(cause: unknown): Refusal {
  const message = "The integration could not be tried right now. Try again in a moment.";
  return new Refusal("gateway_unavailable", message, { cause });
}
