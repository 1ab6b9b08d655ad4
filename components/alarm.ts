// The program's alarms: what they watch, and the one topic that all of them notify.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import type { StackConfig } from "./config.ts";

type Metric = { namespace: string; metricName: string; dimensions?: Record<string, pulumi.Input<string>> };

type Limit = {
  /** The alarm rings when the metric's statistic within a period is above this value; 0 by default. */
  threshold?: number;
  statistic?: "Sum" | "Maximum";
  periodSeconds?: number;
};

/** An alarm that rings once the metric is above its limit. No data is no reason to ring. */
export function alarmAbove(
  name: string,
  { description, metric, threshold = 0, ...limit }: Limit & { description: string; metric: Metric },
  opts: pulumi.CustomResourceOptions,
): void {
  new aws.cloudwatch.MetricAlarm(
    name,
    {
      alarmDescription: description,
      ...metric,
      statistic: limit.statistic ?? "Sum",
      period: limit.periodSeconds ?? 300,
      evaluationPeriods: 1,
      threshold,
      comparisonOperator: "GreaterThanThreshold",
      treatMissingData: "notBreaching",
    },
    opts,
  );
}

/** An alarm that rings once the metric has counted nothing in two periods. No data counts as nothing, so it rings until there is some. */
export function alarmOnSilence(
  name: string,
  { description, metric, periodSeconds }: { description: string; metric: Metric; periodSeconds: number },
  opts: pulumi.CustomResourceOptions,
): void {
  new aws.cloudwatch.MetricAlarm(
    name,
    {
      alarmDescription: description,
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
