// CloudWatch Logs: log groups.
import type { Descriptor } from "../descriptor.ts";
import { arnOf, physicalName } from "../names.ts";

export const logGroup: Descriptor = {
  type: "aws:cloudwatch/logGroup:LogGroup",
  compute(logicalName, inputs, region) {
    const name = physicalName(logicalName, inputs);
    return { id: name, outputs: { name, arn: arnOf("logs", region, `log-group:${name}`) } };
  },
  inputs: { served: "name", noEffect: "retentionInDays" },
};

export const cloudWatchLogs = [logGroup];
