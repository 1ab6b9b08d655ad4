// The program's alarms: what they watch, and the one topic that all of them notify.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { type AlarmKind, type AlarmName, type AlarmPattern, alarmData } from "./alarm-data.ts";
import type { StackConfig } from "./config.ts";

type Metric = { namespace: string; metricName: string; dimensions?: Record<string, pulumi.Input<string>> };

type AlarmArgs<N extends AlarmName> = {
  metric: Metric;
  /** The log group or the queue's URL of the alarm's first command. */
  at?: pulumi.Input<string>;
  /** Replaces the kind's own. */
  threshold?: number;
} & (N extends AlarmPattern ? { of: string } : { of?: never });

/** An alarm that rings once the metric is above its limit. No data is no reason to ring. */
export function alarmAbove<N extends AlarmName>(
  name: N,
  { metric, at, threshold, of }: AlarmArgs<N>,
  opts: pulumi.CustomResourceOptions,
): void {
  const kind: AlarmKind = alarmData[name];
  new aws.cloudwatch.MetricAlarm(
    alarmName(name, of),
    {
      alarmDescription: descriptionOf(kind, { of, at }),
      ...metric,
      statistic: kind.statistic ?? "Sum",
      period: kind.periodSeconds ?? 300,
      evaluationPeriods: 1,
      threshold: threshold ?? kind.threshold ?? 0,
      comparisonOperator: "GreaterThanThreshold",
      treatMissingData: "notBreaching",
    },
    opts,
  );
}

/** An alarm that rings once the metric has counted nothing in two periods. No data counts as nothing, so it rings until there is some. */
export function alarmOnSilence(
  schedule: string,
  { metric, at, periodSeconds }: { metric: Metric; at: pulumi.Input<string>; periodSeconds: number },
  opts: pulumi.CustomResourceOptions,
): void {
  const name = "<schedule>-silent";
  new aws.cloudwatch.MetricAlarm(
    alarmName(name, schedule),
    {
      alarmDescription: descriptionOf(alarmData[name], { of: schedule, at }),
      ...metric,
      statistic: "Sum",
      period: periodSeconds,
      evaluationPeriods: 2,
      threshold: 1,
      comparisonOperator: "LessThanThreshold",
      treatMissingData: "breaching",
    },
    opts,
  );
}

function alarmName(name: AlarmName, of = ""): string {
  return name.replace(/<.+>/, of);
}

/** The text that CloudWatch sends: the meaning, the first command and the runbook. */
function descriptionOf(
  { meaning, first, runbook }: AlarmKind,
  { of = "", at = "" }: { of?: string | undefined; at?: pulumi.Input<string> | undefined },
): pulumi.Output<string> {
  const command = pulumi.output(at).apply((place) => first.replace(/<.+?>/, () => place));
  return pulumi.interpolate`${meaning(of)}. First: ${command} Then: docs/operations.md#${runbook}`;
}

/** A metric that a function writes into its log (adapters/telemetry.ts). */
export function reportedMetric(service: string, metricName: string): Metric {
  return { namespace: "Archway", metricName, dimensions: { service, stack: pulumi.getStack() } };
}

/** The metric that counts the lines of a log that contain a text. A filter's metric has no dimension, so its namespace has the stack. */
export function countedLines(
  name: string,
  { logGroup, text }: { logGroup: aws.cloudwatch.LogGroup; text: string },
  opts: pulumi.CustomResourceOptions,
): Metric {
  const metric = { namespace: `Archway/${pulumi.getStack()}`, metricName: name };
  const metricTransformation = { namespace: metric.namespace, name, value: "1" };
  new aws.cloudwatch.LogMetricFilter(
    name,
    { logGroupName: logGroup.name, pattern: JSON.stringify(text), metricTransformation },
    opts,
  );
  return metric;
}

/**
 * The topic of `archway:alarms`, which every alarm of the program notifies, wherever it is declared after this. The topic is not encrypted:
 * CloudWatch may not use the key that SNS has by default, and an alarm names no tenant.
 */
export class AlarmTopic extends pulumi.ComponentResource {
  constructor(name: string, { alarms }: Pick<StackConfig, "alarms">, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:AlarmTopic", name, {}, opts);
    if (alarms) this.notify(name, alarms);
    this.registerOutputs({});
  }

  private notify(name: string, { email, topicArn }: NonNullable<StackConfig["alarms"]>): void {
    const topic = topicArn ?? new aws.sns.Topic(name, {}, { parent: this }).arn;
    if (email) new aws.sns.TopicSubscription(name, { topic, protocol: "email", endpoint: email }, { parent: this });
    pulumi.runtime.registerStackTransformation(({ type, props, opts }) =>
      type === "aws:cloudwatch/metricAlarm:MetricAlarm"
        ? { props: { ...props, alarmActions: [topic] }, opts }
        : undefined,
    );
  }
}
