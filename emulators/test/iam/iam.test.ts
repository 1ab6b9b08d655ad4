import { describe, expect, test } from "@jest/globals";
import { Iam, type ResourcePolicyOf } from "../../iam/iam.ts";
import { simulate } from "../../iam/simulation.ts";
import { allow, aPrincipal, aRole, document, resources, roleArn } from "../support/declared-iam.ts";

const table = "arn:aws:dynamodb:eu-central-1:000000000000:table/main";
const getItem = { action: "dynamodb:GetItem", resource: table };
const key = "arn:aws:kms:eu-central-1:000000000000:key/11111111-1111-1111-1111-111111111111";
const instance = "arn:aws:sts::000000000000:assumed-role/proxy/instance-1";

function iamOf(statements: object[], policyOf?: ResourcePolicyOf, role: Record<string, unknown> = {}): Iam {
  return new Iam(resources(aRole("proxy", statements as never, role)), policyOf);
}

function deny(action: string, resource: string, more: object = {}) {
  return { ...allow(action, resource), Effect: "Deny", ...more };
}

/** An Iam that counts how often it had to simulate. */
function counting(statements: object[], role: Record<string, unknown> = {}) {
  let simulations = 0;
  const iam = new Iam(resources(aRole("proxy", statements as never, role)), undefined, (question) => {
    simulations += 1;
    return simulate(question);
  });
  const ask = (context: Record<string, string | string[]>, sessionTags: Record<string, string> = {}) =>
    iam.decide(aPrincipal("proxy", { sessionTags }), { ...getItem, context });
  return { ask, simulations: () => simulations };
}

describe("decide", () => {
  test("a call that a statement allows is allowed, and the statement is named", async () => {
    const decision = await iamOf([allow("dynamodb:GetItem", table)]).decide(aPrincipal("proxy"), getItem);
    expect(decision).toEqual({
      allowed: true,
      reason: "allowed by RolePolicy proxy#1",
      statements: ["RolePolicy proxy#1"],
    });
  });

  test("a call that no statement allows is denied in AWS's words", async () => {
    const decision = await iamOf([allow("dynamodb:PutItem", table)]).decide(aPrincipal("proxy"), getItem);
    expect(decision).toEqual({
      allowed: false,
      reason: `User: ${instance} is not authorized to perform: dynamodb:GetItem on resource: ${table} because no identity-based policy allows the dynamodb:GetItem action`,
      statements: [],
    });
  });

  test("a denial names the session that asks, also when the decision is cached", async () => {
    const iam = iamOf([]);
    const [first, second] = await Promise.all(
      ["one", "two"].map((sessionName) => iam.decide(aPrincipal("proxy", { sessionName }), getItem)),
    );
    expect(first?.reason).toContain("assumed-role/proxy/one ");
    expect(second?.reason).toContain("assumed-role/proxy/two ");
  });

  test("an explicit deny in a policy takes precedence", async () => {
    const iam = iamOf([allow("*", "*"), deny("dynamodb:*", table)]);
    const { allowed, reason, statements } = await iam.decide(aPrincipal("proxy"), getItem);
    expect(allowed).toBe(false);
    expect(reason).toMatch(/with an explicit deny in an identity-based policy$/);
    expect(statements).toEqual(["RolePolicy proxy#2"]);
  });

  test("the context of a call counts, whatever earlier calls were answered", async () => {
    const ownItems = { "ForAllValues:StringEquals": { "dynamodb:LeadingKeys": ["TENANT#1"] } };
    const iam = iamOf([allow("dynamodb:GetItem", table, { Condition: ownItems })]);
    const read = async (...keys: string[]) =>
      (await iam.decide(aPrincipal("proxy"), { ...getItem, context: { "dynamodb:LeadingKeys": keys } })).allowed;
    expect(await read("TENANT#1")).toBe(true);
    expect(await read("TENANT#2")).toBe(false);
    expect(await read("TENANT#1", "TENANT#2")).toBe(false);
    expect(await read("TENANT#1")).toBe(true);
  });

  test("a right by partition keys records the kinds of records that it was used for, and does not cover a call without a key", async () => {
    const { ask } = counting([
      allow("dynamodb:GetItem", table, {
        Condition: {
          "ForAllValues:StringLike": { "dynamodb:LeadingKeys": ["TENANT#*", "USER#*"] },
          Null: { "dynamodb:LeadingKeys": "false" },
        },
      }),
    ]);
    expect(await ask({ "dynamodb:LeadingKeys": ["USER#ann"] })).toMatchObject({ leadingKeys: ["USER#*"] });
    expect(await ask({ "dynamodb:LeadingKeys": ["USER#ann", "TENANT#1", "USER#bob"] })).toMatchObject({
      leadingKeys: ["TENANT#*", "USER#*"],
    });
    expect(await ask({})).toMatchObject({ allowed: false });
    expect(await ask({ "dynamodb:LeadingKeys": ["KEY#1"] })).not.toHaveProperty("leadingKeys");
  });

  test("a session's tags count in conditions and as variables", async () => {
    const own = `arn:aws:s3:::files/\${aws:PrincipalTag/tenant_id}/*`;
    const iam = iamOf([allow("s3:GetObject", own)]);
    const read = async (tenant: string | undefined, path: string) => {
      const sessionTags: Record<string, string> = tenant === undefined ? {} : { tenant_id: tenant };
      const resource = `arn:aws:s3:::files/${path}`;
      return (await iam.decide(aPrincipal("proxy", { sessionTags }), { action: "s3:GetObject", resource })).allowed;
    };
    expect(await read("a", "a/spec.json")).toBe(true);
    expect(await read("b", "a/spec.json")).toBe(false);
    expect(await read(undefined, "a/spec.json")).toBe(false);
  });

  test("a session's tags take precedence over the role's tags", async () => {
    const onlyCore = { StringEquals: { "aws:PrincipalTag/team": "core" } };
    const iam = iamOf([allow("dynamodb:GetItem", table, { Condition: onlyCore })], undefined, {
      tags: { team: "core" },
    });
    expect((await iam.decide(aPrincipal("proxy"), getItem)).allowed).toBe(true);
    expect((await iam.decide(aPrincipal("proxy", { sessionTags: { team: "other" } }), getItem)).allowed).toBe(false);
  });

  test("an encryption key without a policy of its own follows the account's policies", async () => {
    const decrypt = { action: "kms:Decrypt", resource: key };
    expect((await iamOf([allow("kms:Decrypt", key)]).decide(aPrincipal("proxy"), decrypt)).allowed).toBe(true);
    expect((await iamOf([]).decide(aPrincipal("proxy"), decrypt)).allowed).toBe(false);
  });

  test("a resource's own policy counts, and a change to it at once", async () => {
    let policy = document({ Effect: "Allow", Principal: { AWS: roleArn("other") }, Action: "kms:*", Resource: "*" });
    const iam = iamOf([allow("kms:Decrypt", key)], (arn) => (arn === key ? policy : undefined));
    const decrypt = async () => iam.decide(aPrincipal("proxy"), { action: "kms:Decrypt", resource: key });
    expect((await decrypt()).reason).toMatch(/because no resource-based policy allows the kms:Decrypt action$/);
    policy = document({ Effect: "Allow", Principal: { AWS: instance }, Action: "kms:Decrypt", Resource: "*" });
    expect((await decrypt()).allowed).toBe(true);
  });

  test("an encryption context is a condition key like any other", async () => {
    const own = { StringEquals: { "kms:EncryptionContext:tenant_id": `\${aws:PrincipalTag/tenant_id}` } };
    const iam = iamOf([allow("kms:Decrypt", "*", { Condition: own })]);
    const decrypt = async (tenant: string) => {
      const context = { "kms:EncryptionContext:tenant_id": tenant };
      const caller = aPrincipal("proxy", { sessionTags: { tenant_id: "a" } });
      return (await iam.decide(caller, { action: "kms:Decrypt", resource: key, context })).allowed;
    };
    expect(await decrypt("a")).toBe(true);
    expect(await decrypt("b")).toBe(false);
  });

  test("a condition key that IAM does not know for the action is named in the denial", async () => {
    const iam = iamOf([
      allow("sqs:SendMessage", "*", { Condition: { StringEquals: { "dynamodb:LeadingKeys": "a" } } }),
    ]);
    const { reason } = await iam.decide(aPrincipal("proxy"), {
      action: "sqs:SendMessage",
      resource: "arn:aws:sqs:eu-central-1:000000000000:jobs",
      context: { "dynamodb:LeadingKeys": "a" },
    });
    expect(reason).toMatch(/\(dynamodb:LeadingKeys: not a condition key of this action\)$/);
  });

  test.each([
    ["an action that AWS lacks", { action: "dynamodb:Fetch", resource: table }],
    ["a resource that the action does not take", { action: "dynamodb:GetItem", resource: "main" }],
    ["a resource for an action that knows none", { action: "kms:CreateKey", resource: key }],
  ])("a call with %s is an error, not a denial", async (_, authorization) => {
    await expect(iamOf([allow("*", "*")]).decide(aPrincipal("proxy"), authorization)).rejects.toThrow(
      "IAM cannot judge",
    );
  });

  test("a call of a role that the program does not declare is an error", async () => {
    await expect(iamOf([]).decide(aPrincipal("nobody"), getItem)).rejects.toThrow("role/nobody is not a role");
  });
});

describe("a role of another account", () => {
  const account = "111111111111";
  const host = aPrincipal("host", { roleArn: roleArn("host", account) });
  const model = "arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-5";
  const profileOf = (owner: string) => `arn:aws:bedrock:eu-central-1:${owner}:inference-profile/eu.anthropic.claude`;
  const iamWith = (...statements: ReturnType<typeof allow>[]) =>
    new Iam(resources(aRole("proxy", [allow("sts:AssumeRole", "*")]), aRole("host", statements, { account })));
  const may = async (iam: Iam, action: string, resource: string) =>
    (await iam.decide(host, { action, resource })).allowed;

  test("a role of another account reaches its account's resources as its policies say", async () => {
    const iam = iamWith(allow("bedrock:InvokeModel", "*"));
    expect(await may(iam, "bedrock:InvokeModel", profileOf(account))).toBe(true);
    expect(await may(iam, "bedrock:InvokeModel", model)).toBe(true);
    expect(await may(iamWith(), "bedrock:InvokeModel", model)).toBe(false);
  });

  test("a role of another account reaches no resource of the platform only by its own policies", async () => {
    const iam = iamWith(allow(["bedrock:InvokeModel", "dynamodb:GetItem"], "*"));
    expect(await may(iam, "bedrock:InvokeModel", profileOf("000000000000"))).toBe(false);
    expect(await may(iam, "dynamodb:GetItem", table)).toBe(false);
  });

  test("conditions see the account of a role of another account", async () => {
    const only = (owner: string) => ({ Condition: { StringEquals: { "aws:PrincipalAccount": owner } } });
    const invoke = (owner: string) => iamWith(allow("bedrock:InvokeModel", "*", only(owner)));
    expect(await may(invoke(account), "bedrock:InvokeModel", model)).toBe(true);
    expect(await may(invoke("000000000000"), "bedrock:InvokeModel", model)).toBe(false);
  });

  test("the right to assume a role of another account depends on the caller's policies, not on the role's trust policy", async () => {
    const ask = { action: "sts:AssumeRole", resource: roleArn("host", account) };
    expect((await iamWith().decide(aPrincipal("proxy"), ask)).allowed).toBe(true);
    expect((await iamWith().decide(host, ask)).allowed).toBe(false);
  });
});

describe("a verdict is remembered by what the policies can tell of a call", () => {
  const keys = (...values: string[]) => ({ "dynamodb:LeadingKeys": values });
  const like = (...texts: string[]) => ({ "ForAllValues:StringLike": keys(...texts) });

  test("thousands of keys are decided once for each set of patterns that they match", async () => {
    const { ask, simulations } = counting([
      allow("dynamodb:GetItem", table, { Condition: like("TENANT#*", "USER#?") }),
    ]);
    for (let tenant = 0; tenant < 2_000; tenant++) {
      expect((await ask(keys(`TENANT#${tenant}`))).allowed).toBe(true);
      expect((await ask(keys(`GRANT#${tenant}`))).allowed).toBe(false);
    }
    expect(simulations()).toBe(2);
    expect((await ask(keys("USER#a"))).allowed).toBe(true);
    expect((await ask(keys("USER#ab"))).allowed).toBe(false);
    expect((await ask(keys("XTENANT#1"))).allowed).toBe(false);
    expect((await ask(keys("tenant#1"))).allowed).toBe(false);
    expect(simulations()).toBe(3);
  });

  test("each of several leading keys is checked, in any order and number", async () => {
    const { ask, simulations } = counting([
      allow("dynamodb:GetItem", table, { Condition: like("TENANT#*", "USER#*") }),
    ]);
    expect((await ask(keys("TENANT#1", "TENANT#2"))).allowed).toBe(true);
    expect((await ask(keys("TENANT#3"))).allowed).toBe(true);
    expect(simulations()).toBe(1);
    expect((await ask(keys("TENANT#1", "USER#1"))).allowed).toBe(true);
    expect((await ask(keys("USER#2", "TENANT#2", "TENANT#3"))).allowed).toBe(true);
    expect(simulations()).toBe(2);
    expect((await ask(keys("TENANT#1", "GRANT#1"))).allowed).toBe(false);
    expect((await ask(keys("GRANT#1", "USER#1"))).allowed).toBe(false);
    expect((await ask(keys("GRANT#1"))).allowed).toBe(false);
    expect((await ask({})).allowed).toBe(true);
  });

  test("a key that another statement denies gets a decision of its own", async () => {
    const { ask, simulations } = counting([
      allow("dynamodb:GetItem", table, { Condition: like("TENANT#*") }),
      deny("dynamodb:GetItem", table, { Condition: { "ForAnyValue:StringEquals": keys("TENANT#closed") } }),
    ]);
    for (const id of ["1", "2", "closed", "3", "closed*"]) {
      expect([id, (await ask(keys(`TENANT#${id}`))).allowed]).toEqual([id, id !== "closed"]);
    }
    expect((await ask(keys("TENANT#1", "TENANT#closed"))).allowed).toBe(false);
    expect(simulations()).toBe(3);
  });

  test("a key that a negative condition names gets a decision of its own, and `*` is no wildcard where texts have to be equal", async () => {
    const { ask } = counting([
      allow("dynamodb:GetItem", table, { Condition: { "ForAllValues:StringNotLike": keys("KEY#*") } }),
      allow("dynamodb:GetItem", table, { Condition: { "ForAllValues:StringEquals": keys("KEY#*") } }),
    ]);
    expect((await ask(keys("TENANT#1"))).allowed).toBe(true);
    expect((await ask(keys("KEY#1"))).allowed).toBe(false);
    expect((await ask(keys("KEY#*"))).allowed).toBe(true);
    expect((await ask(keys("KEY#2"))).allowed).toBe(false);
  });

  test("conditions with variables or with other operators are decided by the value itself", async () => {
    const own = [`TENANT#\${aws:PrincipalTag/tenant_id}`];
    const { ask } = counting([allow("dynamodb:GetItem", table, { Condition: like(...own) })]);
    expect((await ask(keys("TENANT#a"), { tenant_id: "a" })).allowed).toBe(true);
    expect((await ask(keys("TENANT#b"), { tenant_id: "a" })).allowed).toBe(false);
    expect((await ask(keys("TENANT#b"), { tenant_id: "b" })).allowed).toBe(true);
    const tagged = counting([
      allow("dynamodb:GetItem", "*", { Condition: { StringLike: { "aws:PrincipalTag/tenant_id": "*" } } }),
      deny("dynamodb:GetItem", table.replace("main", `\${aws:PrincipalTag/tenant_id}`)),
    ]);
    expect((await tagged.ask({}, { tenant_id: "other" })).allowed).toBe(true);
    expect((await tagged.ask({}, { tenant_id: "main" })).allowed).toBe(false);
    const folded = counting([
      allow("dynamodb:GetItem", table, { Condition: { "ForAllValues:StringEqualsIgnoreCase": keys("a") } }),
    ]);
    expect((await folded.ask(keys("A"))).allowed).toBe(true);
    expect((await folded.ask(keys("B"))).allowed).toBe(false);
  });
});

describe("decideTrust", () => {
  const target = roleArn("model-host");

  function trusting(...trust: object[]): Iam {
    return new Iam(resources(aRole("proxy", []), aRole("model-host", [], { trust: trust as never })));
  }

  const assumedBy = (principal: object, more: object = {}) => ({
    Effect: "Allow",
    Principal: principal,
    Action: "sts:AssumeRole",
    ...more,
  });

  test.each([
    ["the caller's role", true, { AWS: roleArn("proxy") }],
    ["the caller's session", true, { AWS: instance }],
    ["the account", true, { AWS: "arn:aws:iam::000000000000:root" }],
    ["another role", false, { AWS: roleArn("other") }],
    ["a service", false, { Service: "lambda.amazonaws.com" }],
  ])("decideTrust with trust in %s admits a session: %s", async (_, allowed, principal) => {
    const decision = await trusting(assumedBy(principal)).decideTrust(target, aPrincipal("proxy"), "sts:AssumeRole");
    expect(decision.allowed).toBe(allowed);
  });

  test("a role of another account trusts only the principals that it names, and no one of the same name in another account", async () => {
    const account = "111111111111";
    const far = roleArn("model-host", account);
    const isProxy = { Condition: { ArnEquals: { "aws:PrincipalArn": roleArn("proxy") } } };
    const trust = [assumedBy({ AWS: "arn:aws:iam::000000000000:root" }, isProxy)];
    const iam = new Iam(
      resources(
        aRole("proxy", []),
        aRole("meter", []),
        aRole("model-host", [], { trust, account }),
        aRole("namesake", [], { account }).map((role) => ({
          ...role,
          outputs: { ...role.outputs, name: "proxy", arn: roleArn("proxy", account) },
        })),
      ),
    );
    const assume = async (arn: string) =>
      (await iam.decideTrust(far, aPrincipal("", { roleArn: arn }), "sts:AssumeRole")).allowed;
    expect(await assume(roleArn("proxy"))).toBe(true);
    expect(await assume(roleArn("meter"))).toBe(false);
    expect(await assume(roleArn("proxy", account))).toBe(false);
  });

  test("conditions in a trust policy are checked", async () => {
    const known = { Condition: { StringEquals: { "sts:RoleSessionName": "tenant-1" } } };
    const iam = trusting(assumedBy({ AWS: roleArn("proxy") }, known));
    const assume = async (id: string) =>
      (await iam.decideTrust(target, aPrincipal("proxy"), "sts:AssumeRole", { "sts:RoleSessionName": id })).allowed;
    expect(await assume("tenant-1")).toBe(true);
    expect(await assume("tenant-2")).toBe(false);
  });

  test("a service can assume a role only if the role trusts that service, and its conditions hold", async () => {
    const ours = { Condition: { StringEquals: { "aws:SourceAccount": "000000000000" } } };
    const iam = trusting(assumedBy({ Service: "scheduler.amazonaws.com" }, ours));
    const assume = async (service: string, account: string) =>
      (await iam.decideTrust(target, service, "sts:AssumeRole", { "aws:SourceAccount": account })).allowed;
    expect(await assume("scheduler.amazonaws.com", "000000000000")).toBe(true);
    expect(await assume("scheduler.amazonaws.com", "111111111111")).toBe(false);
    expect(await assume("lambda.amazonaws.com", "000000000000")).toBe(false);
  });

  test("a refusal to assume a role says that the trust is missing", async () => {
    const { reason } = await trusting(assumedBy({ Service: "lambda.amazonaws.com" })).decideTrust(
      target,
      aPrincipal("proxy"),
      "sts:AssumeRole",
    );
    expect(reason).toBe(
      `User: ${instance} is not authorized to perform: sts:AssumeRole on resource: ${target} because no role trust policy allows the sts:AssumeRole action`,
    );
  });

  test("an unknown role is refused like a role that trusts no one", async () => {
    const iam = trusting();
    const { allowed, reason } = await iam.decideTrust(roleArn("nobody"), aPrincipal("proxy"), "sts:AssumeRole");
    expect(allowed).toBe(false);
    expect(reason).toMatch(/because no role trust policy allows the sts:AssumeRole action$/);
  });
});
