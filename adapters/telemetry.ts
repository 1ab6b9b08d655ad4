// Metrics of a function's requests: one log line each in CloudWatch's embedded metric format
// (docs.aws.amazon.com/AmazonCloudWatch/latest/monitoring/CloudWatch_Embedded_Metric_Format_Specification.html).
import { stdout } from "node:process";
import type { BillingTelemetry } from "../domain/billing/billing-telemetry.ts";
import type { Telemetry } from "../domain/messages/telemetry.ts";
import type { RunTelemetry } from "../domain/runs/run-telemetry.ts";
import { type ToolCallLog, toolCallEvent } from "../domain/tools/tool-call.ts";

/** Metrics that count something need no entry. */
const units: Record<string, string> = {
  duration_ms: "Milliseconds",
  first_byte_ms: "Milliseconds",
  skill_run_seconds: "Seconds",
};

type Metrics = Record<string, number>;

/**
 * Metrics have two dimensions, the service and the stack, so that two stacks of one account do not add up. Tenant, caller,
 * model and region are properties of each line: as dimensions they would make a metric of their own for each combination.
 */
function metricLines(service: string, stack: string) {
  const dimensions = { service, stack };
  const common = { Namespace: "Archway", Dimensions: [Object.keys(dimensions)] };
  return (metrics: Metrics, properties: object) => {
    const Metrics = Object.keys(metrics).map((Name) => ({ Name, Unit: units[Name] ?? "Count" }));
    const _aws = { Timestamp: Date.now(), CloudWatchMetrics: [{ ...common, Metrics }] };
    // Lambda puts a time and a request id before a line of the console, which would be no JSON then.
    stdout.write(`${JSON.stringify({ _aws, ...properties, ...dimensions, ...metrics })}\n`);
  };
}

export function telemetry(service: string, stack: string): Telemetry {
  const write = metricLines(service, stack);
  return {
    finished: (facts, measures) => write({ requests: 1, ...measures }, facts),
    refused: (code, facts) =>
      write({ refusals: 1, ...(code.startsWith("upstream_") && { upstream_errors: 1 }) }, { ...facts, refusal: code }),
    flagsRefused: (flags, facts) =>
      write({ beta_flags_refused: flags.length }, { ...facts, refused_beta_flags: flags.join(",") }),
    fieldsRefused: (fields, facts) =>
      write({ fields_refused: fields.length }, { ...facts, refused_fields: fields.join(",") }),
    regionShort: (facts) => write({ regions_short: 1 }, facts),
  };
}

/** How long the oldest hour waits that the payment provider was not told of. The alarm looks at the greatest of all workspaces. */
export function waitingTelemetry(service: string, stack: string): (hours: number) => void {
  const write = metricLines(service, stack);
  return (hours) => write({ unreported_hours: hours }, {});
}

/** Deliveries that look like the payment provider's and are not signed with the secret that is known. */
export function deliveryTelemetry(service: string, stack: string): () => void {
  const write = metricLines(service, stack);
  return () => write({ deliveries_refused: 1 }, {});
}

/** Usage that is not billed as it should be: a metric with an alarm, whose line says whose usage it is. */
export function billingTelemetry(service: string, stack: string): BillingTelemetry {
  const write = metricLines(service, stack);
  return {
    unbilled(reason, facts) {
      const texts = Object.entries(facts).map(([name, value]) => [name, String(value)]);
      write({ usage_unbilled: 1 }, { reason, ...Object.fromEntries(texts) });
    },
  };
}

/** How much of the account's quotas is used, by quota. */
export function quotaTelemetry(service: string, stack: string): (percents: Record<string, number>) => void {
  const write = metricLines(service, stack);
  return (percents) => {
    const metrics = Object.entries(percents).map(([quota, percent]) => [`${quota}_used_percent`, percent]);
    write(Object.fromEntries(metrics), {});
  };
}

/** The calls of tools, a line each: what Logs Insights searches. They are no metrics, so that a tool's name makes none. */
export function toolCallLog(clock: () => number): ToolCallLog {
  return {
    write(call) {
      const at = new Date(clock()).toISOString();
      stdout.write(`${JSON.stringify({ event: toolCallEvent, at, ...call })}\n`);
    },
  };
}

/** Runs of skills, a line each, without what they were given and what they gave. */
export function runTelemetry(service: string, stack: string): RunTelemetry {
  const write = metricLines(service, stack);
  return {
    ended({ tenant_id, skill, version, run_id, status, exit_code, network, caller_id, seconds = 0 }) {
      const isFault = status === "lost" || (status === "failed" && exit_code === undefined);
      write(
        { skill_runs: 1, skill_run_seconds: seconds, skill_runs_faulty: isFault ? 1 : 0 },
        { tenant_id, skill, version, run_id, status, network, caller_id },
      );
    },
  };
}
