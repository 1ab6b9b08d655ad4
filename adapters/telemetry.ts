// What a function reports of its requests: one log line each, in CloudWatch's embedded metric format.
import { Metrics, MetricUnit } from "@aws-lambda-powertools/metrics";
import type { BillingTelemetry } from "../domain/billing/billing-telemetry.ts";
import type { RequestFacts, Telemetry } from "../domain/messages/telemetry.ts";

const namespace = "Archway";

const units: Record<string, (typeof MetricUnit)[keyof typeof MetricUnit]> = {
  duration_ms: MetricUnit.Milliseconds,
  first_byte_ms: MetricUnit.Milliseconds,
};

/**
 * Metrics have two dimensions, the service and the stack, so that two stacks of one account do not add up. Tenant, caller, model and region are properties of each line: as dimensions
 * they would make a metric of their own for each combination.
 */
export function telemetry(service: string, stack: string): Telemetry {
  const metrics = new Metrics({ namespace, serviceName: service, defaultDimensions: { stack } });
  const describe = (facts: RequestFacts) => {
    for (const [name, value] of Object.entries(facts)) if (value !== undefined) metrics.addMetadata(name, value);
  };
  return {
    finished(facts, measures) {
      describe(facts);
      metrics.addMetric("requests", MetricUnit.Count, 1);
      for (const [name, value] of Object.entries(measures)) {
        metrics.addMetric(name, units[name] ?? MetricUnit.Count, value);
      }
      metrics.publishStoredMetrics();
    },

    refused(code, facts) {
      describe(facts);
      metrics.addMetadata("refusal", code);
      metrics.addMetric("refusals", MetricUnit.Count, 1);
      if (code.startsWith("upstream_")) metrics.addMetric("upstream_errors", MetricUnit.Count, 1);
      metrics.publishStoredMetrics();
    },

    flagsRefused(flags, facts) {
      describe(facts);
      metrics.addMetadata("refused_beta_flags", flags.join(","));
      metrics.addMetric("beta_flags_refused", MetricUnit.Count, flags.length);
      metrics.publishStoredMetrics();
    },
  };
}

/** Usage that is not billed as it should be: a metric with an alarm, whose line says whose usage it is. */
export function billingTelemetry(service: string, stack: string): BillingTelemetry {
  const metrics = new Metrics({ namespace, serviceName: service, defaultDimensions: { stack } });
  return {
    unbilled(reason, facts) {
      metrics.addMetadata("reason", reason);
      for (const [name, value] of Object.entries(facts)) metrics.addMetadata(name, String(value));
      metrics.addMetric("usage_unbilled", MetricUnit.Count, 1);
      metrics.publishStoredMetrics();
    },
  };
}
