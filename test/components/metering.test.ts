import { expect, test } from "@jest/globals";
import { stackConfig } from "../../components/config.ts";
import { Identity } from "../../components/identity.ts";
import { Metering } from "../../components/metering.ts";
import { PlatformTable } from "../../components/platform-table.ts";
import { Proxy } from "../../components/proxy.ts";
import { localStackFile, readStackConfig } from "../../local/program/program.ts";
import { declarationsOf } from "../support/pulumi-program.ts";

const config = stackConfig(await readStackConfig(localStackFile));
const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  const identity = new Identity("identity", { config, table });
  const proxy = new Proxy("proxy", { config, table, identity });
  new Metering("metering", { table, proxy });
});
const meterArn = "arn:aws:lambda:eu-central-1:000000000000:function:metering-local";

test("the meter runs every quarter of an hour", () => {
  const rule = program.get("aws:cloudwatch/eventRule:EventRule", "metering").inputs;
  expect(rule).toEqual({ scheduleExpression: "rate(15 minutes)" });
  const target = program.get("aws:cloudwatch/eventTarget:EventTarget", "metering").inputs;
  expect(target).toEqual({ rule: "metering-local", arn: meterArn });
});

test("only its schedule may start it", () => {
  expect(program.get("aws:lambda/permission:Permission", "metering").inputs).toEqual({
    action: "lambda:InvokeFunction",
    function: "metering-local",
    principal: "events.amazonaws.com",
    sourceArn: "arn:aws:events:eu-central-1:000000000000:rule/metering-local",
  });
});

test("it searches the proxy's log and no other", () => {
  const { variables } = program.get("aws:lambda/function:Function", "metering").inputs.environment;
  expect(variables).toEqual({ TABLE_NAME: "archway-local", PROXY_LOG_GROUP: "proxy-local" });
  const { Statement } = JSON.parse(program.get("aws:iam/rolePolicy:RolePolicy", "metering").inputs.policy);
  expect(Statement).toContainEqual({
    Effect: "Allow",
    Action: ["logs:FilterLogEvents"],
    Resource: ["arn:aws:logs:eu-central-1:000000000000:log-group:proxy-local:*"],
  });
});
