// Alarms before the account has no room for another gateway or integration: only AWS raises a quota, which takes days.
import type * as pulumi from "@pulumi/pulumi";
import { type QuotaName, usualQuotas } from "../../domain/marketplace/account-quotas.ts";
import { alarmAbove, reportedMetric } from "../alarm.ts";

export function quotaAlarms(opts: pulumi.CustomResourceOptions): void {
  for (const quota of Object.keys(usualQuotas) as QuotaName[]) {
    const metric = reportedMetric("agentcore", `${quota}_used_percent`);
    alarmAbove("mcp-quota-<resource>", { of: quota.replaceAll("_", "-"), metric }, opts);
  }
}
