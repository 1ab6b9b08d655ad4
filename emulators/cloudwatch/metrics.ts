// The metrics that alarms watch, of this run of the stack: what Lambda counts of functions, and what is made of their log lines.
import type { Clock } from "../clock.ts";
import type { LogLine } from "../cloudwatch-logs/logs.ts";
import type { FunctionError } from "../lambda/instance.ts";
import type { Resources } from "../pulumi/resources.ts";
import { metricFilter } from "../pulumi/services/cloudwatch-logs.ts";
import { lambdaFunction } from "../pulumi/services/lambda.ts";

export type Metric = { namespace: string; metricName: string; dimensions?: Record<string, string> | undefined };

/** A metric line in CloudWatch's embedded format. */
type Embedded = {
  _aws: { CloudWatchMetrics: { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }[] };
};
type Filter = { logGroup: string; text: string; metric: Metric; value: number };

/** No alarm looks further back: two days of a daily schedule. */
const keptMs = 2 * 86_400_000;

export class Metrics {
  readonly #clock: Clock;
  readonly #filters: Filter[];
  readonly #logGroups: ReadonlyMap<string, string>;
  readonly #points = new Map<string, { at: number; value: number }[]>();

  constructor(resources: Resources, clock: Clock) {
    this.#clock = clock;
    this.#filters = resources.ofType(metricFilter.type).map(({ inputs }) => ({
      logGroup: inputs.logGroupName,
      text: JSON.parse(inputs.pattern),
      metric: { namespace: inputs.metricTransformation.namespace, metricName: inputs.metricTransformation.name },
      value: Number(inputs.metricTransformation.value),
    }));
    const functions = resources.ofType(lambdaFunction.type);
    this.#logGroups = new Map(functions.map(({ inputs, outputs }) => [outputs.name, inputs.loggingConfig?.logGroup]));
  }

  noteFailure(functionName: string, { errorType }: FunctionError): void {
    const metricName = errorType === "TooManyRequestsException" ? "Throttles" : "Errors";
    this.#note({ namespace: "AWS/Lambda", metricName, dimensions: { FunctionName: functionName } }, 1);
  }

  noteLine({ function: functionName, line }: LogLine): void {
    for (const { logGroup, text, metric, value } of this.#filters) {
      if (this.#logGroups.get(functionName) === logGroup && line.includes(text)) this.#note(metric, value);
    }
    if (line.startsWith('{"_aws"')) this.#noteEmbedded(JSON.parse(line));
  }

  /** The values of a metric in a time. */
  values(metric: Metric, from: number, until: number): number[] {
    const points = this.#points.get(keyOf(metric)) ?? [];
    return points.filter(({ at }) => at > from && at <= until).map(({ value }) => value);
  }

  #noteEmbedded(line: Embedded): void {
    const values = line as unknown as Record<string, string | number>;
    for (const { Namespace: namespace, Dimensions, Metrics } of line._aws.CloudWatchMetrics) {
      for (const names of Dimensions) {
        const dimensions = Object.fromEntries(names.map((name) => [name, String(values[name])]));
        for (const { Name: metricName } of Metrics) {
          this.#note({ namespace, metricName, dimensions }, Number(values[metricName]));
        }
      }
    }
  }

  #note(metric: Metric, value: number): void {
    const now = this.#clock.now();
    const key = keyOf(metric);
    const points = this.#points.get(key) ?? [];
    this.#points.set(key, points);
    points.push({ at: now, value });
    // Points are noted in the order of time but where the clock was set back: an old one behind a newer one goes with that.
    while ((points[0]?.at ?? now) <= now - keptMs) points.shift();
  }
}

function keyOf({ namespace, metricName, dimensions = {} }: Metric): string {
  return JSON.stringify([namespace, metricName, Object.entries(dimensions).toSorted()]);
}
