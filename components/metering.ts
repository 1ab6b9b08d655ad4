// The meter: a function on a schedule that keeps the accounting right behind the proxy.
import * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import { meter } from "../handlers/meter/contract.ts";
import { LambdaFunction } from "./lambda-function.ts";
import { logLink, tableLink } from "./link.ts";
import type { Proxy } from "./proxy.ts";

type MeteringArgs = { table: aws.dynamodb.Table; proxy: Proxy };

/** A reservation outlives its function by a minute; this is how long it stands at most after that. */
const schedule = "rate(15 minutes)";

export class Metering extends pulumi.ComponentResource {
  readonly meter: LambdaFunction<typeof meter>;

  constructor(name: string, args: MeteringArgs, opts?: pulumi.ComponentResourceOptions) {
    super("archway:index:Metering", name, {}, opts);
    this.meter = this.createMeter(name, args);
    this.createSchedule(name);
    this.registerOutputs({});
  }

  private createMeter(name: string, { table, proxy }: MeteringArgs): LambdaFunction<typeof meter> {
    return new LambdaFunction(
      name,
      {
        contract: meter,
        environment: {
          TABLE_NAME: tableLink(table, {
            get: ["spending", "meterProgress"],
            query: ["activeCaller", "ledger"],
            put: ["ledger", "rollup"],
            update: ["spending", "credit", "meterProgress"],
          }),
          PROXY_LOG_GROUP: logLink(proxy.function.logGroup),
        },
      },
      { parent: this },
    );
  }

  private createSchedule(name: string): void {
    const rule = new aws.cloudwatch.EventRule(name, { scheduleExpression: schedule }, { parent: this });
    new aws.cloudwatch.EventTarget(name, { rule: rule.name, arn: this.meter.arn }, { parent: this });
    new aws.lambda.Permission(
      name,
      {
        action: "lambda:InvokeFunction",
        function: this.meter.function.name,
        principal: "events.amazonaws.com",
        sourceArn: rule.arn,
      },
      { parent: this },
    );
  }
}
