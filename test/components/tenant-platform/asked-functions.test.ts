import { describe, expect, test } from "@jest/globals";
import { stackConfig } from "../../../components/config.ts";
import { Identity } from "../../../components/identity/identity.ts";
import { McpGateway } from "../../../components/mcp-gateway/mcp-gateway.ts";
import { Skills } from "../../../components/skills/skills.ts";
import { PlatformTable } from "../../../components/tenant-platform/platform-table.ts";
import { TenantPlatform } from "../../../components/tenant-platform/tenant-platform.ts";
import { localStackFile, readStackConfig } from "../../../local/program/program.ts";
import { declarationsOf } from "../../support/program/pulumi-program.ts";

const config = stackConfig(await readStackConfig(localStackFile));
const program = await declarationsOf(() => {
  const { table } = new PlatformTable("archway");
  const identity = new Identity("identity", { config, table });
  const mcpGateway = new McpGateway("mcp-gateway", { config, table, identity });
  const skills = new Skills("skills", { table });
  new TenantPlatform("tenant-platform", { config, table, identity, mcpGateway, skills, notices: undefined });
});
const arnOf = (name: string) => `arn:aws:lambda:eu-central-1:000000000000:function:${name}-local`;

type Statement = { Action: string[]; Resource: string[] };
const statementsOf = (role: string): Statement[] =>
  JSON.parse(program.get("aws:iam/rolePolicy:RolePolicy", role).inputs.policy).Statement;
const actionsOf = (role: string) => statementsOf(role).flatMap(({ Action }) => Action);
const roles = program.ofType("aws:iam/rolePolicy:RolePolicy").map(({ name }) => name);
const having = (pattern: RegExp) =>
  roles.filter((role) => actionsOf(role).some((action) => pattern.test(action))).toSorted();

describe("what lies outside the table", () => {
  test("each outside system belongs to one function, which has no rights on the others", () => {
    expect(having(/^(kms|tag):/)).toEqual(["tenant-keys"]);
    // Joining an account needs two actions of the pool (docs/decisions/0027), and a replaced password one more (0043).
    expect(having(/^cognito-idp:(?!AdminGetUser$|AdminLinkProviderForUser$|AdminUserGlobalSignOut$)/)).toEqual([
      "accounts",
      "agentcore",
    ]);
    expect(having(/^secretsmanager:/)).toEqual(["agentcore", "mcp-gateway-gateway", "payments", "probe", "webhook"]);
    expect(having(/^iam:PassRole$/)).toEqual(["agentcore"]);
    // The runner's sessions are no resources of a workspace: each ends with its run.
    expect(having(/^bedrock-agentcore:(?!Get|Invoke|\w+CodeInterpreterSessions?$)/)).toEqual(["agentcore"]);
  });

  test("only the functions control, purge and reconcile may invoke the functions of the outside systems, and oauth the one that only reads", () => {
    const asking = ["purge", "reconcile", "control"];
    expect(having(/^lambda:/)).toEqual(["mcp-gateway-gateway", "oauth", ...asking].toSorted());
    // Clients' metadata documents are at addresses that anybody may give.
    expect(statementsOf("oauth").filter(({ Action }) => Action[0]?.startsWith("lambda:"))).toMatchObject([
      { Resource: [arnOf("probe")] },
    ]);
    for (const role of asking) {
      const invoked = statementsOf(role).filter(({ Action }) => Action[0]?.startsWith("lambda:"));
      const names = ["tenant-keys", "accounts", "payments", ...(role === "reconcile" ? [] : ["agentcore"])];
      if (role === "control") names.push("probe");
      expect(invoked.map(({ Action }) => Action)).toEqual(names.map(() => ["lambda:InvokeFunction"]));
      expect(invoked.flatMap(({ Resource }) => Resource)).toEqual(names.map(arnOf));
    }
  });

  test("the accounts' function only reads the table", () => {
    expect(actionsOf("accounts").filter((action) => action.startsWith("dynamodb:"))).toEqual([
      "dynamodb:GetItem",
      "dynamodb:Query",
    ]);
  });
});

test("keys without a tenant are searched for every hour", () => {
  const rule = program.get("aws:cloudwatch/eventRule:EventRule", "tenant-keys");
  expect(rule.inputs.scheduleExpression).toBe("rate(60 minutes)");
  expect(program.get("aws:cloudwatch/eventTarget:EventTarget", "tenant-keys").inputs.arn).toBe(arnOf("tenant-keys"));
});

test("a new key's policy names the role of the function that creates it", () => {
  const { variables } = program.get("aws:lambda/function:Function", "tenant-keys").inputs.environment;
  expect(JSON.parse(variables.KEY_POLICY).Statement[1].Principal.AWS).toEqual(
    expect.stringContaining(":role/tenant-keys"),
  );
});

describe("the reconciliation", () => {
  test("the reconciliation runs every hour", () => {
    const rule = program.get("aws:cloudwatch/eventRule:EventRule", "reconcile");
    expect(rule.inputs.scheduleExpression).toBe("rate(60 minutes)");
    expect(program.get("aws:cloudwatch/eventTarget:EventTarget", "reconcile").inputs.arn).toBe(arnOf("reconcile"));
  });

  test("the reconciliation handles one job at a time, a few jobs in parallel, and has a dead letter queue", () => {
    expect(program.get("aws:lambda/eventSourceMapping:EventSourceMapping", "reconcile").inputs).toMatchObject({
      batchSize: 1,
      scalingConfig: { maximumConcurrency: 2 },
    });
    expect(program.get("aws:cloudwatch/metricAlarm:MetricAlarm", "reconcile-jobs-dead-letters")).toBeDefined();
  });
});

test("usage that is left unbilled at a workspace's end raises an alarm", () => {
  const { dimensions } = program.get("aws:cloudwatch/metricAlarm:MetricAlarm", "payments-unbilled").inputs;
  expect(dimensions).toMatchObject({ service: "payments" });
});
