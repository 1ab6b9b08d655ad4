import { DynamoDBClient, GetItemCommand } from "@aws-sdk/client-dynamodb";
import {
  AssumeRoleCommand,
  type AssumeRoleCommandInput,
  GetSessionTokenCommand,
  type STSClient,
} from "@aws-sdk/client-sts";
import { afterEach, beforeEach, describe, expect, test } from "@jest/globals";
import { Sts } from "../../sts/sts.ts";
import { clientOptions, type RunningEndpoint, startEndpoint, stsClient } from "../support/aws-endpoint.ts";
import { CountingDynamoDb, tableArn } from "../support/counting-dynamodb.ts";
import { allow, aPrincipal, aRole, type PolicyStatement, resources, roleArn } from "../support/declared-iam.ts";

const target = roleArn("tenant");
const mayAssume = allow(["sts:AssumeRole", "sts:TagSession"], target);
const trustsProxy = {
  Effect: "Allow",
  Principal: { AWS: roleArn("proxy") },
  Action: ["sts:AssumeRole", "sts:TagSession"],
};
const ownTable = allow(["dynamodb:GetItem", "dynamodb:PutItem"], tableArn(`\${aws:PrincipalTag/tenant_id}`));
const tenantOne = [{ Key: "tenant_id", Value: "one" }];

let running: RunningEndpoint | undefined;
let sts: STSClient;

/** STS with a role `proxy` that may assume a role `tenant`, as far as the two let it. */
async function start({ rights = [mayAssume], trust = [trustsProxy] as PolicyStatement[], tenant = {} } = {}) {
  const started = await startEndpoint({
    resources: resources(aRole("proxy", rights), aRole("tenant", [ownTable], { trust, ...tenant })),
    services: (parts) => [new Sts(parts), new CountingDynamoDb()],
  });
  running = started;
  sts = stsClient(started.url, started.keysOf(aPrincipal("proxy", { functionName: "archway-dev-proxy" })));
  return started;
}

afterEach(async () => {
  sts.destroy();
  await running?.close();
});

function assume(more: Partial<AssumeRoleCommandInput> = {}) {
  return sts.send(new AssumeRoleCommand({ RoleArn: target, RoleSessionName: "caller-1", Tags: tenantOne, ...more }));
}

/** A DynamoDB client with the credentials of an assumed role. */
async function assumed(more: Partial<AssumeRoleCommandInput> = {}): Promise<DynamoDBClient> {
  const { Credentials } = await assume(more);
  const keys = {
    accessKeyId: Credentials?.AccessKeyId ?? "",
    secretAccessKey: Credentials?.SecretAccessKey ?? "",
    sessionToken: Credentials?.SessionToken ?? "",
  };
  return new DynamoDBClient(clientOptions(running?.url ?? "", keys));
}

const getItem = (table: string) => new GetItemCommand({ TableName: table, Key: { pk: { S: "a" } } });
const denied = { name: "AccessDenied", $metadata: { httpStatusCode: 403 } };

describe("an assumed role", () => {
  beforeEach(() => start());

  test("assuming a role gives credentials for an hour of the stack's clock, under the session's name", async () => {
    running?.clock.advance(86_400_000);
    const { Credentials, AssumedRoleUser } = await assume();
    const now = running?.clock.now() ?? 0;
    expect(Math.abs((Credentials?.Expiration?.getTime() ?? 0) - now - 3_600_000)).toBeLessThan(5_000);
    expect(AssumedRoleUser).toEqual({
      Arn: "arn:aws:sts::000000000000:assumed-role/tenant/caller-1",
      AssumedRoleId: expect.stringMatching(/^AROA[0-9A-F]{17}:caller-1$/),
    });
  });

  test("an assumed role may do what its policies and its session's tags allow", async () => {
    const client = await assumed();
    await client.send(getItem("one"));
    await expect(client.send(getItem("two"))).rejects.toThrow("assumed-role/tenant/caller-1 is not authorized");
    await expect((await assumed({ Tags: [] })).send(getItem("one"))).rejects.toThrow("is not authorized");
  });

  test("calls of an assumed role are recorded under the role, with the function that assumed it", async () => {
    await (await assumed()).send(getItem("one"));
    expect(running?.calls.all()).toMatchObject([
      { service: "sts", role: "proxy", function: "archway-dev-proxy" },
      { service: "dynamodb", role: "tenant", sessionName: "caller-1", function: "archway-dev-proxy" },
    ]);
  });

  test("the credentials of an assumed role expire", async () => {
    const client = await assumed({ DurationSeconds: 900 });
    running?.clock.advance(900_001);
    await expect(client.send(getItem("one"))).rejects.toMatchObject({ name: "ExpiredTokenException" });
  });
});

describe("the right to assume a role", () => {
  test("a role cannot be assumed without the right, whatever its trust policy says", async () => {
    await start({ rights: [allow("sts:TagSession", target)] });
    await expect(assume()).rejects.toMatchObject({
      ...denied,
      message: `User: arn:aws:sts::000000000000:assumed-role/proxy/instance-1 is not authorized to perform: sts:AssumeRole on resource: ${target} because no identity-based policy allows the sts:AssumeRole action`,
    });
  });

  test("a role cannot be assumed without trusting the caller, whatever the caller's rights", async () => {
    await start({ trust: [{ ...trustsProxy, Principal: { AWS: roleArn("other") } }] });
    await expect(assume()).rejects.toMatchObject({
      ...denied,
      message: expect.stringMatching(/because no role trust policy allows the sts:AssumeRole action$/),
    });
    expect(running?.calls.all()).toMatchObject([{ allowed: false, status: 403 }]);
  });

  test("an unknown role cannot be assumed", async () => {
    await start({ rights: [allow("sts:*", "*")] });
    await expect(assume({ RoleArn: roleArn("nobody") })).rejects.toMatchObject(denied);
  });

  test("a role can be assumed with tags only if the caller has the right to tag", async () => {
    await start({ rights: [allow("sts:AssumeRole", target)] });
    await expect(assume()).rejects.toThrow("no identity-based policy allows the sts:TagSession action");
    await assume({ Tags: [] });
  });

  test("a role can be assumed with tags only if its trust policy allows tags", async () => {
    await start({ trust: [{ ...trustsProxy, Action: "sts:AssumeRole" }] });
    await expect(assume()).rejects.toThrow("no role trust policy allows the sts:TagSession action");
    await assume({ Tags: [] });
  });

  test.each<[string, object, Partial<AssumeRoleCommandInput>, Partial<AssumeRoleCommandInput>]>([
    ["a tag's presence", { Null: { "aws:RequestTag/tenant_id": "false" } }, {}, { Tags: [] }],
    [
      "a tag's value",
      { StringLike: { "aws:RequestTag/tenant_id": "o*" } },
      {},
      { Tags: [{ Key: "tenant_id", Value: "two" }] },
    ],
    [
      "the tags' keys",
      { "ForAllValues:StringEquals": { "aws:TagKeys": ["tenant_id"] } },
      {},
      { Tags: [...tenantOne, { Key: "role", Value: "owner" }] },
    ],
    [
      "the session's name",
      { StringLike: { "sts:RoleSessionName": "caller-*" } },
      { Tags: [] },
      { Tags: [], RoleSessionName: "root" },
    ],
  ])("as far as the trust's condition on %s is met", async (_, Condition, good, bad) => {
    await start({ trust: [{ ...trustsProxy, Condition }] });
    await assume(good);
    await expect(assume(bad)).rejects.toMatchObject(denied);
  });
});

describe("limits", () => {
  test.each<[string, Partial<AssumeRoleCommandInput>, RegExp]>([
    ["a session name of one letter", { RoleSessionName: "x" }, /RoleSessionName/],
    ["a session name with a space", { RoleSessionName: "a b" }, /RoleSessionName/],
    ["too short a time", { DurationSeconds: 899 }, /DurationSeconds/],
    ["too long a time", { DurationSeconds: 43_201 }, /DurationSeconds/],
    ["too many tags", { Tags: Array.from({ length: 51 }, (_, n) => ({ Key: `k${n}`, Value: "v" })) }, /Tags/],
    ["too long a tag's key", { Tags: [{ Key: "k".repeat(129), Value: "v" }] }, /Tags\.0\.Key/],
    ["too long a tag's value", { Tags: [{ Key: "k", Value: "v".repeat(257) }] }, /Tags\.0\.Value/],
    ["a tag's value with a letter that is not allowed", { Tags: [{ Key: "k", Value: "a#b" }] }, /Tags\.0\.Value/],
    ["an input that is not emulated", { SourceIdentity: "me" }, /SourceIdentity: not emulated/],
    ["what is no role", { RoleArn: "arn:aws:iam::000000000000:user/bob-the-user" }, /RoleArn/],
  ])("%s is a ValidationError that names it", async (_, input, message) => {
    await start();
    await expect(assume(input)).rejects.toMatchObject({
      name: "ValidationError",
      message: expect.stringMatching(message),
    });
  });

  test("tags of the maximal length are accepted, with letters of any script", async () => {
    await start();
    await assume({
      Tags: [
        { Key: "k".repeat(128), Value: "é".repeat(256) },
        { Key: "empty", Value: "" },
      ],
    });
  });

  test("tag keys that differ only in case are refused", async () => {
    await start();
    const Tags = [...tenantOne, { Key: "Tenant_ID", Value: "two" }];
    await expect(assume({ Tags })).rejects.toMatchObject({ name: "InvalidParameterValue" });
  });

  test("a session that assumes another role gets at most an hour, whatever that role's maximum", async () => {
    await start({ tenant: { maxSessionDuration: 43_200 } });
    await expect(assume({ DurationSeconds: 3601 })).rejects.toThrow(
      "1 hour session limit for roles assumed by role chaining",
    );
    await assume({ DurationSeconds: 3600 });
  });

  test("no session lasts longer than its role's maximum", async () => {
    await start();
    await expect(assume({ DurationSeconds: 7200 })).rejects.toThrow("MaxSessionDuration set for this role");
  });
});

describe("other calls", () => {
  beforeEach(() => start({ rights: [] }));

  test("an unknown action of STS is named", async () => {
    await expect(sts.send(new GetSessionTokenCommand({}))).rejects.toMatchObject({
      name: "InvalidAction",
      message: expect.stringContaining("GetSessionToken"),
    });
  });

  test("unknown keys and wrong secrets are refused in STS's words", async () => {
    const { url, keysOf } = running as RunningEndpoint;
    const keys = keysOf(aPrincipal("proxy"));
    const call = (changed: object) => {
      const command = new AssumeRoleCommand({ RoleArn: roleArn("tenant"), RoleSessionName: "session" });
      return stsClient(url, { ...keys, ...changed }).send(command);
    };
    await expect(call({ accessKeyId: "ASIA0" })).rejects.toMatchObject({ name: "InvalidClientTokenId" });
    await expect(call({ secretAccessKey: "wrong" })).rejects.toMatchObject({ name: "SignatureDoesNotMatch" });
  });
});
