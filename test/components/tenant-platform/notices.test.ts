import { describe, expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { Metering } from "../../../components/tenant-platform/metering.ts";
import { Notices } from "../../../components/tenant-platform/notices.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

async function declared(overrides: Record<string, string | undefined> = {}) {
  const config = stackConfig(await readStackConfig(localStackFile, overrides));
  return declarationsOf(() => {
    const { table } = new PlatformTable("archway");
    const notices = config.mail && new Notices("notices", { config, table });
    new Metering("meter", { config, table, notices });
  });
}

const program = await declared();

function actionsOf(of: typeof program, name: string): string[] {
  const { Statement } = JSON.parse(of.get("aws:iam/rolePolicy:RolePolicy", name).inputs.policy) as {
    Statement: { Action: string[] }[];
  };
  return Statement.flatMap(({ Action }) => Action);
}

describe("with a sender of mails", () => {
  test("only the function notify mails notices, and it knows the console's page for limits", () => {
    expect(program.get("aws:lambda/eventSourceMapping:EventSourceMapping", "notify").inputs).toMatchObject({
      eventSourceArn: "arn:aws:sqs:eu-central-1:000000000000:notices-local",
      functionResponseTypes: ["ReportBatchItemFailures"],
      scalingConfig: { maximumConcurrency: 2 },
    });
    expect(program.get("aws:lambda/function:Function", "notify").inputs.environment.variables).toEqual({
      TABLE_NAME: "archway-local",
      API_URL: "https://api.localhost",
      BRAND: "Archway",
      CONSOLE_URL: "https://console.localhost",
      MAIL_FROM: "Archway <no-reply@archway.example>",
      MAIL_IDENTITY_ARN: "arn:aws:ses:eu-central-1:000000000000:identity/archway.example",
    });
  });

  test("with a sender of mails only the function notify may mail and look up people; the meter may only queue notices", () => {
    expect(actionsOf(program, "notify")).toContain("ses:SendEmail");
    expect(actionsOf(program, "meter").filter((action) => action.startsWith("ses:"))).toEqual([]);
    expect(JSON.stringify(program.get("aws:iam/rolePolicy:RolePolicy", "meter").inputs.policy)).not.toContain("USER#");
  });

  test("dead letters of the notices raise an alarm", () => {
    const alarms = program.ofType("aws:cloudwatch/metricAlarm:MetricAlarm").map(({ name }) => name);
    expect(alarms).toContain("notices-dead-letters");
  });
});

test("without a sender of mails there is no queue of notices and no function, and the meter may read no limits", async () => {
  const silent = await declared({ "archway:mail": undefined });
  const names = ["aws:sqs/queue:Queue", "aws:lambda/function:Function"].flatMap((type) =>
    silent.ofType(type).map(({ name }) => name),
  );
  expect(names.filter((name) => /noti/.test(name))).toEqual([]);
  const policy = JSON.stringify(silent.get("aws:iam/rolePolicy:RolePolicy", "meter").inputs.policy);
  for (const prefix of ["GRANT#", "KEYS#", "NOTICE#"]) expect(policy).not.toContain(prefix);
});
