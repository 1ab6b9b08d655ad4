// CloudWatch Logs: log groups, and filters that make metrics of their lines.
import type { Descriptor } from "../descriptor.ts";
import { named } from "../names.ts";

export const logGroup: Descriptor = {
  type: "aws:cloudwatch/logGroup:LogGroup",
  compute: named("logs", "log-group:"),
  inputs: { served: "name", noEffect: "retentionInDays" },
};

/** Counts the lines of a log that contain a text. */
export const metricFilter: Descriptor = {
  type: "aws:cloudwatch/logMetricFilter:LogMetricFilter",
  compute: named("logs", "metric-filter:"),
  inputs: { served: "name logGroupName pattern metricTransformation" },
  wiring({ name, inputs }, { resources }) {
    if (resources.byName(logGroup.type, inputs.logGroupName)) return [];
    return [`metric filter ${name}: its log group is not declared`];
  },
};

/** Fields by which searches skip lines; what they find is the same without it. */
const logIndexPolicy: Descriptor = {
  type: "aws:cloudwatch/logIndexPolicy:LogIndexPolicy",
  compute: (_name, inputs) => ({ id: String(inputs.logGroupName), outputs: {} }),
  inputs: { noEffect: "logGroupName policyDocument" },
  wiring({ name, inputs }, { resources }) {
    if (resources.byName(logGroup.type, inputs.logGroupName)) return [];
    return [`index of ${name}: its log group is not declared`];
  },
};

export const cloudWatchLogs = [logGroup, metricFilter, logIndexPolicy];
