import { afterEach, beforeEach, describe, expect, jest, test } from "@jest/globals";
import { Schedules } from "../../eventbridge/schedules.ts";
import type { Functions } from "../../lambda/functions.ts";
import { type DeclaredResource, Resources } from "../../pulumi/resources.ts";
import { declared } from "../support/declared-iam.ts";

/** The invocations, with their events. */
let runs: [arn: string, event: unknown][];
/** The function's reaction. */
let play: (arn: string) => Promise<unknown>;
let opened: Schedules[];
beforeEach(() => {
  [runs, opened] = [[], []];
  play = async () => null;
  jest.useFakeTimers();
});
afterEach(() => {
  for (const schedules of opened) schedules.close();
  jest.useRealTimers();
});

const functions = {
  byArn: (arn: string) => {
    if (arn === "arn:unknown") throw new Error(`The program declares no function ${arn}.`);
    return {
      settings: { arn },
      invoke: async (event: unknown) => {
        runs.push([arn, event]);
        return play(arn);
      },
    };
  },
} as unknown as Functions;

const aRule = (name: string, scheduleExpression: string) =>
  declared("aws:cloudwatch/eventRule:EventRule", name, { scheduleExpression }, { name: `${name}-local` });
const aTarget = (rule: string, arn: string) =>
  declared("aws:cloudwatch/eventTarget:EventTarget", rule, { rule: `${rule}-local`, arn });

function schedulesOf(...resources: DeclaredResource[]): Schedules {
  const schedules = new Schedules(new Resources(resources), functions);
  opened.push(schedules);
  return schedules;
}

const both = () =>
  schedulesOf(
    aRule("meter", "rate(15 minutes)"),
    aRule("purge", "rate(1 day)"),
    aTarget("meter", "arn:meter"),
    aTarget("purge", "arn:purge"),
  );

describe("a schedule", () => {
  test("a schedule of EventBridge can be run on demand, with a scheduled event", async () => {
    const schedules = both();
    expect(schedules.names).toEqual(["meter", "purge"]);
    await schedules.run("purge");
    expect(runs).toEqual([["arn:purge", { source: "aws.events", "detail-type": "Scheduled Event" }]]);
  });

  test("an undeclared schedule of EventBridge is an error that lists the declared schedules", async () => {
    await expect(both().run("backup")).rejects.toThrow('no schedule "backup". It declares: meter, purge.');
  });

  test("a schedule of EventBridge reports its function's failure to the caller", async () => {
    play = async () => {
      throw new Error("the store is down");
    };
    await expect(both().run("meter")).rejects.toThrow("the store is down");
  });
});

describe("once started", () => {
  test.each([
    ["rate(1 minute)", 60_000],
    ["rate(15 minutes)", 900_000],
    ["rate(2 hours)", 7_200_000],
    ["rate(1 day)", 86_400_000],
  ])("a schedule %s runs at its rate, first after one period", (expression, milliseconds) => {
    schedulesOf(aRule("meter", expression), aTarget("meter", "arn:meter")).start();
    jest.advanceTimersByTime(milliseconds - 1);
    expect(runs).toHaveLength(0);
    jest.advanceTimersByTime(1 + 2 * milliseconds);
    expect(runs).toHaveLength(3);
  });

  test("a run of a schedule that fails is printed, and the next run takes place", async () => {
    const printed = jest.spyOn(console, "error").mockImplementation(() => {});
    const error = new Error("the store is down");
    play = async () => {
      throw error;
    };
    both().start();
    await jest.advanceTimersByTimeAsync(2 * 900_000);
    expect(printed.mock.calls).toEqual([[error], [error]]);
    printed.mockRestore();
  });

  test("no schedule of EventBridge runs before the start or after the end", () => {
    both();
    const schedules = both();
    schedules.start();
    schedules.close();
    jest.advanceTimersByTime(86_400_000);
    expect(runs).toEqual([]);
  });
});

describe("a rule that the local stack does not play stops the start", () => {
  test.each<[string, DeclaredResource[], string]>([
    ["of cron", [aRule("meter", "cron(0 12 * * ? *)"), aTarget("meter", "arn:meter")], "rate(15 minutes)"],
    ["of events", [declared("aws:cloudwatch/eventRule:EventRule", "meter", {})], "rate(15 minutes)"],
    ["without a target", [aRule("meter", "rate(1 hour)"), aTarget("other", "arn:meter")], "one target"],
    [
      "with two targets",
      [aRule("meter", "rate(1 hour)"), aTarget("meter", "arn:a"), aTarget("meter", "arn:b")],
      "one target",
    ],
    ["of an unknown function", [aRule("meter", "rate(1 hour)"), aTarget("meter", "arn:unknown")], "no function"],
  ])("%s", (_, resources, message) => {
    expect(() => schedulesOf(...resources)).toThrow(message);
  });
});
