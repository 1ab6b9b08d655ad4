// Alarms before the account has no room for another gateway or integration: only AWS raises a quota, which takes days.
import * as pulumi from "@pulumi/pulumi";
import { type AccountQuotas, alarmPercent, type QuotaName } from "../../domain/marketplace/account-quotas.ts";
import { alarmAbove } from "../alarm.ts";

const names: Record<QuotaName, string> = {
  api_key_providers: "API-key credential providers of AgentCore",
  gateways: "gateways of AgentCore",
  runtimes: "agent runtimes of AgentCore",
  app_clients: "app clients of the user pool, two for each gateway",
};

/** @param quotas the stack's, as its function `agentcore` measures them */
export function quotaAlarms(quotas: AccountQuotas, opts: pulumi.CustomResourceOptions): void {
  for (const [quota, name] of Object.entries(names) as [QuotaName, string][]) {
    const metric = {
      namespace: "Archway",
      metricName: `${quota}_used_percent`,
      dimensions: { service: "agentcore", stack: pulumi.getStack() },
    };
    const description = `The account has used ${alarmPercent} % of its ${quotas[quota]} ${name}: have AWS raise the quota, then archway:mcpQuotas`;
    // The function that counts writes the metric once an hour.
    const limit = { threshold: alarmPercent - 1, statistic: "Maximum", periodSeconds: 3_600 } as const;
    alarmAbove(`mcp-quota-${quota.replaceAll("_", "-")}`, { description, metric, ...limit }, opts);
  }
}
