// The alarms that the program declares: which of them would ring now on AWS. Nobody is notified here.
import type { Clock } from "../clock.ts";
import type { Resources } from "../pulumi/resources.ts";
import { metricAlarm } from "../pulumi/services/cloudwatch.ts";
import type { Queues } from "../sqs/queues.ts";
import type { Metric, Metrics } from "./metrics.ts";

export type Alarm = { name: string; state: "OK" | "ALARM" | "INSUFFICIENT_DATA"; description: string };

type Declared = Metric & {
  alarmDescription: string;
  statistic: "Sum" | "Maximum";
  /** Seconds. */
  period: number;
  evaluationPeriods: number;
  threshold: number;
  comparisonOperator: "GreaterThanThreshold" | "LessThanThreshold";
  treatMissingData: "breaching" | "notBreaching";
};

type AlarmsParts = { resources: Resources; queues: Queues; metrics: Metrics; clock: Clock };

export class Alarms {
  readonly #declared: { name: string; alarm: Declared }[];
  readonly #parts: AlarmsParts;
  readonly #since: number;

  constructor(parts: AlarmsParts) {
    this.#parts = parts;
    this.#since = parts.clock.now();
    this.#declared = parts.resources
      .ofType(metricAlarm.type)
      .map(({ name, inputs }) => ({ name, alarm: inputs as Declared }));
  }

  all(): Alarm[] {
    return this.#declared.map(({ name, alarm }) => ({
      name,
      state: this.#stateOf(alarm),
      description: alarm.alarmDescription,
    }));
  }

  /** The names of those that ring. */
  ringing(): string[] {
    return this.all()
      .filter(({ state }) => state === "ALARM")
      .map(({ name }) => name);
  }

  /** A time before the stack was started tells nothing of a silence. On AWS such an alarm rings until the first run. */
  #stateOf(alarm: Declared): Alarm["state"] {
    const now = this.#parts.clock.now();
    const periodMs = alarm.period * 1000;
    const judged = Array.from({ length: alarm.evaluationPeriods }, (_, back) => {
      const until = now - back * periodMs;
      return this.#breaches(alarm, until - periodMs, until);
    });
    if (!judged.every(Boolean)) return "OK";
    const isOld = now - alarm.evaluationPeriods * periodMs >= this.#since;
    return isOld || alarm.treatMissingData === "notBreaching" ? "ALARM" : "INSUFFICIENT_DATA";
  }

  #breaches(alarm: Declared, from: number, until: number): boolean {
    const { statistic, threshold, comparisonOperator, treatMissingData } = alarm;
    const values = this.#values(alarm, from, until);
    if (values.length === 0) return treatMissingData === "breaching";
    const value = statistic === "Maximum" ? Math.max(...values) : values.reduce((sum, one) => sum + one, 0);
    return comparisonOperator === "GreaterThanThreshold" ? value > threshold : value < threshold;
  }

  /** A queue's metrics are what it holds now. */
  #values(metric: Metric, from: number, until: number): number[] {
    if (metric.namespace !== "AWS/SQS") return this.#parts.metrics.values(metric, from, until);
    const queue = this.#parts.queues.byName(metric.dimensions?.QueueName ?? "");
    if (metric.metricName === "ApproximateNumberOfMessagesVisible") return [queue.counts().visible];
    const [oldest] = queue.messages();
    return oldest ? [(this.#parts.clock.now() - oldest.sentAt) / 1000] : [];
  }
}
