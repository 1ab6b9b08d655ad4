// CloudWatch: alarms. emulators/cloudwatch/alarms.ts says which would ring; each has to watch something that is declared.
import type { Descriptor } from "../descriptor.ts";
import { named } from "../names.ts";
import { lambdaFunction } from "./lambda.ts";
import { queue } from "./sqs.ts";

export const metricAlarm: Descriptor = {
  type: "aws:cloudwatch/metricAlarm:MetricAlarm",
  compute: named("cloudwatch", "alarm:"),
  inputs: {
    served:
      "name namespace dimensions alarmDescription metricName statistic period evaluationPeriods threshold comparisonOperator treatMissingData",
    noEffect: "alarmActions",
  },
  wiring({ name, inputs }, { resources }) {
    const { QueueName, FunctionName } = inputs.dimensions ?? {};
    if (inputs.namespace === "AWS/SQS" && !resources.byName(queue.type, QueueName)) {
      return [`alarm ${name}: its queue is not declared`];
    }
    if (inputs.namespace === "AWS/Lambda" && !resources.byName(lambdaFunction.type, FunctionName)) {
      return [`alarm ${name}: its function is not declared`];
    }
    return [];
  },
};

export const cloudWatch = [metricAlarm];
