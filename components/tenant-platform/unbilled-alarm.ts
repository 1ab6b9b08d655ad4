// The alarm of a function that finds usage which is not billed as it should be.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

/** @param service the name under which adapters/telemetry.ts emits the metric; the metric's log line says whose usage it is, and why */
export function unbilledAlarm(
  name: string,
  { service, description }: { service: string; description: string },
  opts: pulumi.ResourceOptions,
): aws.cloudwatch.MetricAlarm {
  return new aws.cloudwatch.MetricAlarm(
    `${name}-unbilled`,
    {
      alarmDescription: description,
      namespace: "Archway",
      metricName: "usage_unbilled",
      dimensions: { service, stack: pulumi.getStack() },
      statistic: "Sum",
      period: 900,
      evaluationPeriods: 1,
      threshold: 0,
      comparisonOperator: "GreaterThanThreshold",
      treatMissingData: "notBreaching",
    },
    opts,
  );
}
