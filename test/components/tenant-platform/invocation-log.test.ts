import { expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { Metering } from "../../../components/tenant-platform/metering.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const { "archway:modelHost": modelHost, ...atHome } = await readStackConfig(localStackFile);
const logged = { ...atHome, "archway:invocationLogs": "/bedrock/invocations" };

async function declared(source: Record<string, string>) {
  const config = stackConfig(source);
  return declarationsOf(() => {
    const { table } = new PlatformTable("archway");
    new Metering("meter", { config, table, notices: undefined });
  });
}

type Declared = Awaited<ReturnType<typeof declared>>;

const searching = (account: string) => [
  {
    Effect: "Allow",
    Action: ["logs:StartQuery"],
    Resource: [`arn:aws:logs:*:${account}:log-group:/bedrock/invocations:*`],
  },
  { Effect: "Allow", Action: ["logs:GetQueryResults", "logs:StopQuery"], Resource: ["*"] },
];

const rightsOfMeter = (program: Declared): { Action: string[]; Resource: string[] }[] =>
  JSON.parse(program.get("aws:iam/rolePolicy:RolePolicy", "meter").inputs.policy).Statement;

const logName = "invocation-log-111111111111";

test("with models in the platform's account the meter itself may search the log of invocations, in each region", async () => {
  const program = await declared(logged);

  expect(rightsOfMeter(program)).toEqual(expect.arrayContaining(searching("000000000000")));
  expect(program.ofType("aws:iam/role:Role").map(({ name }) => name)).not.toContain(logName);
});

test("with models in another account a role there may only search the log of invocations, and the meter may only assume that role", async () => {
  const program = await declared({ ...logged, "archway:modelHost": modelHost ?? "" });

  const { inputs, options } = program.get("aws:iam/policy:Policy", logName);
  expect(JSON.parse(inputs.policy).Statement).toEqual(searching("111111111111"));
  expect(options.provider).toBeDefined();
  const roleArn = `arn:aws:iam::111111111111:role/${logName}-local`;
  const meterRights = rightsOfMeter(program);
  expect(meterRights).toContainEqual({ Effect: "Allow", Action: ["sts:AssumeRole"], Resource: [roleArn] });
  expect(meterRights.flatMap(({ Action }) => Action).filter((action) => /^logs:(Start|Get|Stop)/.test(action))).toEqual(
    [],
  );
});

test("the role of the log trusts only the meter's role in the platform's account", async () => {
  const program = await declared({ ...logged, "archway:modelHost": modelHost ?? "" });

  expect(JSON.parse(program.get("aws:iam/role:Role", logName).inputs.assumeRolePolicy).Statement).toEqual([
    {
      Effect: "Allow",
      Principal: { AWS: "arn:aws:iam::000000000000:root" },
      Action: "sts:AssumeRole",
      Condition: { ArnEquals: { "aws:PrincipalArn": "arn:aws:iam::000000000000:role/meter-local" } },
    },
  ]);
});
