// A schedule that starts one function, with the permission to do so, and an alarm if its work is not done.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { scheduledWorkDone } from "../domain/kernel/log.ts";
import { alarmOnSilence, countedLines } from "./alarm.ts";
import { deadLetterQueue } from "./dead-letter-queue.ts";

type ScheduleArgs = {
  /** The function that the schedule invokes. It logs `scheduledWorkDone` at the end of each run that went well. */
  function: { function: aws.lambda.Function; logGroup: aws.cloudwatch.LogGroup };
  /** Up to a day, which is the longest period of an alarm. */
  everyMinutes: number;
};

export class Schedule extends pulumi.ComponentResource {
  constructor(name: string, args: ScheduleArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Schedule", name, {}, opts);
    const fn = args.function.function;
    const rule = new aws.cloudwatch.EventRule(
      name,
      { scheduleExpression: `rate(${args.everyMinutes} minutes)` },
      { parent: this },
    );
    const deadLetters = this.createDeadLetters(name, rule);
    new aws.cloudwatch.EventTarget(
      name,
      { rule: rule.name, arn: fn.arn, deadLetterConfig: { arn: deadLetters.arn } },
      { parent: this },
    );
    new aws.lambda.Permission(
      name,
      {
        action: "lambda:InvokeFunction",
        function: fn.name,
        principal: "events.amazonaws.com",
        sourceArn: rule.arn,
      },
      { parent: this },
    );
    this.createAlarm(name, args);
    this.registerOutputs({});
  }

  /** The events that EventBridge could not hand to the function. Nothing replays them: the next one asks for the same. */
  private createDeadLetters(name: string, rule: aws.cloudwatch.EventRule): aws.sqs.Queue {
    const queue = deadLetterQueue("<schedule>-schedule-dead-letters", name, { parent: this });
    const policy = pulumi.jsonStringify({
      Version: "2012-10-17",
      Statement: [
        {
          Effect: "Allow",
          Principal: { Service: "events.amazonaws.com" },
          Action: "sqs:SendMessage",
          Resource: queue.arn,
          Condition: { ArnEquals: { "aws:SourceArn": rule.arn } },
        },
      ],
    });
    new aws.sqs.QueuePolicy(`${name}-schedule`, { queueUrl: queue.url, policy }, { parent: this });
    return queue;
  }

  private createAlarm(name: string, { function: { logGroup }, everyMinutes }: ScheduleArgs): void {
    const metric = countedLines(`${name}-runs`, { logGroup, text: scheduledWorkDone }, { parent: this });
    alarmOnSilence(name, { metric, at: logGroup.name, periodSeconds: everyMinutes * 60 }, { parent: this });
  }
}
