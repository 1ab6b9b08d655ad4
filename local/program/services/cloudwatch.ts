// CloudWatch: alarms. None goes off here; an alarm is only checked to watch a queue that is declared.
import type { Descriptor } from "../descriptor.ts";
import { named } from "../names.ts";
import { queue } from "./sqs.ts";

const metricAlarm: Descriptor = {
  type: "aws:cloudwatch/metricAlarm:MetricAlarm",
  compute: named("cloudwatch", "alarm:"),
  inputs: {
    served: "name namespace dimensions",
    noEffect:
      "alarmDescription metricName statistic period evaluationPeriods threshold comparisonOperator treatMissingData alarmActions okActions",
  },
  wiring({ name, inputs }, { resources }) {
    if (inputs.namespace !== "AWS/SQS" || resources.byName(queue.type, inputs.dimensions?.QueueName)) return [];
    return [`alarm ${name}: its queue is not declared`];
  },
};

export const cloudWatch = [metricAlarm];
