// The program's alarms: what each means, what to look at first, and its runbook. `npm run docs:alarms` makes the table of docs/operations.md from it.

import { unexplainedMessage } from "../domain/budget/unexplained.ts";
import { unsettledMessage } from "../domain/budget/unsettled.ts";
import { differenceMessage, newsMessage } from "../domain/catalog/survey.ts";
import { alarmPercent } from "../domain/marketplace/account-quotas.ts";
import { ceilingMessage } from "../domain/provisioning/free-grants.ts";

export type AlarmKind = {
  /** When it rings. `subject` is what the placeholder in the alarm's name stands for. */
  meaning: (subject: string) => string;
  /** The first command. Its placeholder is a log group or a queue's URL, which the alarm's description names. */
  first: string;
  /** The anchor in docs/operations.md. */
  runbook: string;
  /** It rings once the metric's statistic within a period is above this; 0 by default. */
  threshold?: number;
  /** `Sum` by default. */
  statistic?: "Sum" | "Maximum";
  /** 300 by default. */
  periodSeconds?: number;
};

/** The command that shows a function's recent log lines with one of the patterns. */
const logLines = (pattern: string) => `aws logs tail <log group> --since 1h --filter-pattern '${pattern}'`;
const messages =
  "aws sqs receive-message --queue-url <queue> --visibility-timeout 0 --attribute-names All --message-attribute-names All";
/** The metric's log line says whose usage it is, and why. */
const unbilled = { first: logLines("usage_unbilled"), runbook: "usage-that-is-not-billed", periodSeconds: 900 };
/** An hour that had to wait for a day, since a function died in it, is old when it is closed. */
const waitingHours = 30;
/** Every schedule's jobs are done long before, and a message that is tried for longer needs a person. */
const longestWaitSeconds = 3_600;

/** By the alarm's name. A placeholder in the name stands for each function, queue, schedule or resource. */
export const alarmData = {
  "<function>-errors": {
    meaning: (name) => `${name} failed, was killed or ran out of time`,
    first: logLines("?ERROR ?timeout"),
    runbook: "a-function-fails",
  },
  "<function>-throttles": {
    meaning: (name) => `Lambda had no instance for ${name}`,
    first: "aws lambda get-account-settings --query AccountLimit",
    runbook: "a-function-has-no-instance",
  },
  "<function>-free-credit": {
    meaning: () => "the free credit of the day is used up, and new workspaces without a payment method wait for theirs",
    first: logLines(`"${ceilingMessage}"`),
    runbook: "the-free-credit-of-a-day",
  },
  "<schedule>-silent": {
    meaning: (name) => `${name} had no successful run in two of its periods, or none yet after the first deployment`,
    first: logLines("?ERROR ?timeout"),
    runbook: "a-schedule-is-silent",
  },
  "<schedule>-schedule-dead-letters": {
    meaning: (name) => `EventBridge could not start ${name}`,
    first: messages,
    runbook: "a-schedule-is-silent",
    statistic: "Maximum",
    periodSeconds: 60,
  },
  "<queue>-age": {
    meaning: (name) => `a message of ${name} has waited for more than an hour`,
    first: "aws sqs get-queue-attributes --queue-url <queue> --attribute-names All",
    runbook: "messages-wait",
    statistic: "Maximum",
    threshold: longestWaitSeconds,
  },
  "<queue>-dead-letters": {
    meaning: (name) => `messages of ${name} were given up`,
    first: messages,
    runbook: "dead-letters",
    statistic: "Maximum",
    periodSeconds: 60,
  },
  "mcp-quota-<resource>": {
    meaning: (name) => `${alarmPercent} % of the account's quota of ${name} are in use`,
    first: "aws service-quotas list-requested-service-quota-change-history",
    runbook: "quotas-of-the-account",
    // The function that counts writes the metric once an hour.
    statistic: "Maximum",
    threshold: alarmPercent - 1,
    periodSeconds: 3_600,
  },
  "meter-unexplained": {
    meaning: () =>
      "more calls than usual ended without a known usage: the model host may bill usage that no owner pays",
    first: logLines(`"${unexplainedMessage}"`),
    runbook: "calls-without-a-known-end",
    periodSeconds: 900,
  },
  "proxy-unsettled": {
    meaning: () => "neither the table nor the queue accepted the usage of a call, which only the log has",
    first: logLines(`"${unsettledMessage}"`),
    runbook: "usage-that-could-not-be-settled",
  },
  "payments-unbilled": {
    meaning: () => "at a deleted workspace's end usage was not billed, or its owner had paid too much",
    ...unbilled,
  },
  "report-unbilled": { meaning: () => "usage is not billed, or not correctly", ...unbilled },
  "report-waiting": {
    meaning: () => `usage has waited for more than ${waitingHours} hours to be reported to the payment provider`,
    first: logLines("?ERROR ?timeout"),
    runbook: "usage-that-waits",
    statistic: "Maximum",
    threshold: waitingHours,
    periodSeconds: 900,
  },
  "survey-difference": {
    meaning: () => "the catalog and the model host's lists differ, or a list cannot be read",
    first: logLines(`"${differenceMessage}"`),
    runbook: "the-catalog-and-the-model-host",
  },
  "survey-news": {
    meaning: () => "the model host has a new model or profile, or names the end of a model",
    first: logLines(`"${newsMessage}"`),
    runbook: "the-catalog-and-the-model-host",
  },
  "webhook-refused": {
    meaning: () =>
      "events of the payment provider are refused, because their signature does not match the known secret",
    first: logLines("deliveries_refused"),
    runbook: "the-payment-providers-events",
    periodSeconds: 3_600,
  },
  "webhook-unbilled": {
    meaning: () =>
      "at the payment provider a subscription has ended, a customer is gone, an invoice cannot be made final, or usage is not counted",
    ...unbilled,
  },
} satisfies Record<string, AlarmKind>;

export type AlarmName = keyof typeof alarmData;

/** The names that have a placeholder. */
export type AlarmPattern = Extract<AlarmName, `${string}<${string}`>;
