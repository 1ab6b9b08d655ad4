// The ceiling of free credit, for the functions that give it, with an alarm on each.
import type * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import { ceilingMessage, grantsFor } from "../../domain/provisioning/free-grants.ts";
import { alarmAbove, countedLines } from "../alarm.ts";
import type { StackConfig } from "../config.ts";
import { stackCatalog } from "../stack-catalog.ts";

export type FreeGrantsVariable = { FREE_GRANTS_A_DAY?: string };

/** Nothing where free credit ends no calls. */
export function freeGrantsVariable(config: StackConfig): FreeGrantsVariable {
  if (!config.enforceFreeCredit) return {};
  return { FREE_GRANTS_A_DAY: String(grantsFor(config.freeCreditPerDay * 1e9, stackCatalog(config))) };
}

/** Rings while new workspaces wait for their free credit. */
export function ceilingAlarm(
  name: string,
  { logGroup }: { logGroup: aws.cloudwatch.LogGroup },
  opts: pulumi.CustomResourceOptions,
): void {
  const metric = countedLines(`${name}-free-credit`, { logGroup, text: ceilingMessage }, opts);
  alarmAbove("<function>-free-credit", { of: name, at: logGroup.name, metric }, opts);
}
