// CloudWatch Logs: log groups.
import type { Descriptor } from "../descriptor.ts";
import { named } from "../names.ts";

export const logGroup: Descriptor = {
  type: "aws:cloudwatch/logGroup:LogGroup",
  compute: named("logs", "log-group:"),
  inputs: { served: "name", noEffect: "retentionInDays" },
};

export const cloudWatchLogs = [logGroup];
