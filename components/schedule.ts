// A schedule that starts one function, with the permission to do so.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";

type ScheduleArgs = {
  function: aws.lambda.Function;
  /** e.g. `rate(15 minutes)` */
  expression: string;
};

export class Schedule extends pulumi.ComponentResource {
  constructor(name: string, args: ScheduleArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Schedule", name, {}, opts);
    const rule = new aws.cloudwatch.EventRule(name, { scheduleExpression: args.expression }, { parent: this });
    new aws.cloudwatch.EventTarget(name, { rule: rule.name, arn: args.function.arn }, { parent: this });
    new aws.lambda.Permission(
      name,
      {
        action: "lambda:InvokeFunction",
        function: args.function.name,
        principal: "events.amazonaws.com",
        sourceArn: rule.arn,
      },
      { parent: this },
    );
    this.registerOutputs({});
  }
}
