// What each function's own credentials cannot do to the table, whatever code runs under them, and what they still can.
import {
  BatchGetItemCommand,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  ExecuteStatementCommand,
  GetItemCommand,
  PutItemCommand,
  QueryCommand,
  ScanCommand,
  TransactGetItemsCommand,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from "@aws-sdk/client-dynamodb";
import { SESv2Client, SendEmailCommand } from "@aws-sdk/client-sesv2";
import { marshall } from "@aws-sdk/util-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { appClientRecord, connectorClientRecord } from "../../../adapters/dynamodb/access/app-client.record.ts";
import { grantRecord } from "../../../adapters/dynamodb/access/grant.record.ts";
import { creditRecord } from "../../../adapters/dynamodb/budget/credit.record.ts";
import { apiKeyRecord } from "../../../adapters/dynamodb/keys/api-key.record.ts";
import { ledgerRecord } from "../../../adapters/dynamodb/ledger/ledger.record.ts";
import { reportRecord } from "../../../adapters/dynamodb/metering/report.record.ts";
import { membershipRecord, profileRecord } from "../../../adapters/dynamodb/people/user.record.ts";
import type { StoredRecord } from "../../../adapters/dynamodb/record.ts";
import { records } from "../../../adapters/dynamodb/records.ts";
import { auditRecord } from "../../../adapters/dynamodb/workspace/audit.record.ts";
import { directoryRecord } from "../../../adapters/dynamodb/workspace/directory.record.ts";
import { slugReservationRecord } from "../../../adapters/dynamodb/workspace/slug-reservation.record.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import type { Principal } from "../../../emulators/aws/service.ts";
import { clientOptions, region } from "../../../emulators/test/support/aws-endpoint.ts";
import { dynamoDbRequest } from "../../../emulators/test/support/dynamodb.ts";
import { consoleToken } from "../../../local/demo/app-client.ts";
import { callControlPlane, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { partition, runMeter, settled } from "../../support/accounting/accounting.ts";
import { documentedRights, functions as everyone } from "../../support/accounting/storage-table.ts";
import { startSeeded } from "../../support/program/seeded-stack.ts";
import { ask } from "../../support/proxy-client.ts";
import { isLong } from "../../support/sizes.ts";

const roleOf = (name: string) => `${name}-local`;

let stack: Stack;
let TableName: string;
let keyId: string;
const principals = new Map<string, Principal>();
const clients = new Map<string, DynamoDBClient>();

beforeAll(async () => {
  stack = await startSeeded({ config: { "archway:approval": "manual" } });
  TableName = stack.program.resources.ofType("aws:dynamodb/table:Table")[0]?.outputs.name;
  keyId = stack.demo?.api_key.split("_")[2] ?? "";
  for (const name of everyone) {
    const role = [...stack.iam.roles.values()].find((one) => one.name === roleOf(name));
    if (!role) throw new Error(`no role ${roleOf(name)}`);
    const principal = { roleArn: role.arn, sessionName: "attacker", sessionTags: {} };
    principals.set(name, principal);
    clients.set(name, new DynamoDBClient(clientOptions(stack.aws, stack.credentials.issue(principal))));
  }
});
afterAll(async () => {
  for (const client of clients.values()) client.destroy();
  await stack.stop();
});

type Command = Parameters<DynamoDBClient["send"]>[0];
/** A command of the table, whatever its operation. */
type Asked = { input: unknown };

const send = (as: string, command: unknown) => (clients.get(as) as DynamoDBClient).send(command as Command);
const denied = (as: string, command: unknown) =>
  expect(send(as, command)).rejects.toMatchObject({ name: "AccessDeniedException" });

const put = (item: object) => ({ TableName, Item: marshall(item) });
const update = (key: object, attribute: string, value: unknown) => ({
  TableName,
  Key: marshall(key),
  UpdateExpression: "SET #a = :v",
  ExpressionAttributeNames: { "#a": attribute },
  ExpressionAttributeValues: marshall({ ":v": value }),
});
const query = (pk: string, IndexName?: string) => ({
  TableName,
  ...(IndexName !== undefined && { IndexName }),
  KeyConditionExpression: "#pk = :pk",
  ExpressionAttributeNames: { "#pk": IndexName === undefined ? "pk" : `${IndexName}_pk` },
  ExpressionAttributeValues: { ":pk": { S: pk } },
});

const tenantId = () => stack.demo?.tenant_id ?? "";
const owner = () => ({
  ...membershipRecord.key({ sub: "mallory", tenant_id: tenantId() }),
  ...membershipRecord.indexKey({ tenant_id: tenantId(), created_at: "", sub: "mallory" }),
  sub: "mallory",
  tenant_id: tenantId(),
  tenant_role: "owner",
  status: "active",
});

test("with manual approval new and approved people get mails, and the administrator sees how they signed up", async () => {
  const person = await signUp(stack, "waits@rights.example");
  const admin = await consoleToken(stack, stack.demo?.platform_admin as Person);
  const list = await fetch(`${stack.at("api")}/v1/users/pending`, { headers: { authorization: `Bearer ${admin}` } });
  const { data } = (await list.json()) as { data: object[] };
  expect(data).toContainEqual(
    expect.objectContaining({ user_id: person.sub, email: person.email, provider: "password", email_verified: true }),
  );
  await callControlPlane(stack, admin, "POST", `/v1/users/${person.sub}/approve`, {});
  expect(stack.mailbox.mails(person.email).map(({ subject }) => subject)).toEqual([
    "Confirm your address for Archway",
    "Your account at Archway waits for approval",
    "Your account at Archway is approved",
  ]);
});

describe.each(["proxy", "meter", "settle", "triggers"] as const)("the role of %s", (as) => {
  test("the role of proxy, meter, settle or triggers cannot make a person the owner of a workspace by any write", async () => {
    const role = update(membershipRecord.key({ sub: "mallory", tenant_id: tenantId() }), "tenant_role", "owner");
    await denied(as, new PutItemCommand(put(owner())));
    await denied(as, new UpdateItemCommand(role));
    await denied(as, new TransactWriteItemsCommand({ TransactItems: [{ Put: put(owner()) }] }));
    await denied(as, new TransactWriteItemsCommand({ TransactItems: [{ Update: role }] }));
    await denied(
      as,
      new BatchWriteItemCommand({ RequestItems: { [TableName]: [{ PutRequest: { Item: marshall(owner()) } }] } }),
    );
    expect(await partition(stack, profileRecord.key({ sub: "mallory" }).pk)).toEqual([]);
  });

  test("the role of proxy, meter, settle or triggers cannot change a workspace's payment method, owner or address", async () => {
    const key = tenantRecord.key({ tenant_id: tenantId() });
    for (const [attribute, value] of [
      ["has_payment_method", true],
      ["owner_sub", "mallory"],
      ["status", "active"],
      ["gsi1_pk", "SLUG#other"],
    ] as const) {
      await denied(as, new UpdateItemCommand(update(key, attribute, value)));
      await denied(as, new TransactWriteItemsCommand({ TransactItems: [{ Update: update(key, attribute, value) }] }));
    }
    await denied(
      as,
      new PutItemCommand(put({ ...key, ...tenantRecord.indexKey({ slug: "other" }), has_payment_method: true })),
    );
    await denied(
      as,
      new PutItemCommand(put({ ...slugReservationRecord.key({ slug: "other" }), tenant_id: tenantId() })),
    );
  });

  test("the role of proxy, meter, settle or triggers can neither create nor delete a grant or an API key", async () => {
    const grant = {
      ...grantRecord.key({ tenant_id: tenantId(), dev_sub: "mallory" }),
      tenant_id: tenantId(),
      allowed_models: ["*"],
    };
    const apiKey = { ...apiKeyRecord.key({ key_id: "mallory" }), tenant_id: tenantId(), role: "owner", hash: "known" };
    for (const item of [grant, apiKey]) {
      const Key = marshall({ pk: item.pk, sk: item.sk });
      await denied(as, new PutItemCommand(put(item)));
      await denied(as, new UpdateItemCommand(update({ pk: item.pk, sk: item.sk }, "status", "active")));
      await denied(as, new TransactWriteItemsCommand({ TransactItems: [{ Put: put(item) }] }));
      await denied(as, new DeleteItemCommand({ TableName, Key }));
      await denied(as, new TransactWriteItemsCommand({ TransactItems: [{ Delete: { TableName, Key } }] }));
    }
  });

  test("the role of proxy, meter, settle or triggers lists no keys, and reads the index only by slug, or by address for the mail with a sign-up's code", async () => {
    await denied(as, new QueryCommand(query(apiKeyRecord.key({ key_id: keyId }).pk)));
    await denied(as, new QueryCommand(query(apiKeyRecord.indexRange({ tenant_id: tenantId() }).pk, "gsi1")));
    const byAddress = new QueryCommand(query(profileRecord.indexKey({ email: "owner@acme.example" }).gsi1_pk, "gsi1"));
    if (as === "triggers") await send(as, byAddress);
    else await denied(as, byAddress);
    await denied(as, new ScanCommand({ TableName }));
    await denied(as, new ScanCommand({ TableName, IndexName: "gsi1" }));
    await denied(as, new ScanCommand({ TableName, IndexName: "gsi2" }));
    const Keys = [marshall(apiKeyRecord.key({ key_id: keyId }))];
    await denied(as, new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys } } }));
    await denied(as, new QueryCommand({ ...query(apiKeyRecord.key({ key_id: keyId }).pk), Select: "COUNT" }));
  });

  test("the role of proxy, meter, settle or triggers cannot give free credit in any row", async () => {
    const credit = { granted_tokens: 1_000_000, spent: 0, committed: 0 };
    await denied(as, new PutItemCommand(put({ ...creditRecord.key({ tenant_id: tenantId() }), ...credit })));
    await denied(
      as,
      new PutItemCommand(put({ ...tenantRecord.key({ tenant_id: tenantId() }), sk: "CREDIT", ...credit })),
    );
    await denied(
      as,
      new UpdateItemCommand(update({ ...tenantRecord.key({ tenant_id: tenantId() }), sk: "CREDIT" }, "spent", 0)),
    );
    await denied(as, new DeleteItemCommand({ TableName, Key: marshall(creditRecord.key({ tenant_id: tenantId() })) }));
  });

  test("the role of proxy, meter, settle or triggers cannot write a key that only resembles its own, or one of an unknown kind", async () => {
    for (const pk of ["LEDGER", "XLEDGER#1", "ledger#1", "SPENDING", "USER", "#", "*"]) {
      await denied(as, new PutItemCommand(put({ pk, sk: "a" })));
      await denied(as, new UpdateItemCommand(update({ pk, sk: "a" }, "a", 1)));
    }
  });

  test("the role of proxy, meter, settle or triggers is denied a whole transaction for one of its items", async () => {
    const own = {
      proxy: { Put: put({ ...ledgerRecord.key({ tenant_id: "t", hour: "2026-11-21T05", request_id: as }), a: 1 }) },
      meter: { Put: put({ ...ledgerRecord.key({ tenant_id: "t", hour: "2026-11-21T05", request_id: as }), a: 1 }) },
      settle: { Put: put({ ...ledgerRecord.key({ tenant_id: "t", hour: "2026-11-21T05", request_id: as }), a: 1 }) },
      triggers: { Update: update(profileRecord.key({ sub: `with-${as}` }), "email", "a@b.example") },
    }[as];
    await denied(as, new TransactWriteItemsCommand({ TransactItems: [own, { Put: put(owner()) }] }));
    const { pk } =
      as === "triggers"
        ? profileRecord.key({ sub: `with-${as}` })
        : ledgerRecord.key({ tenant_id: "t", hour: "2026-11-21T05", request_id: "" });
    expect((await partition(stack, pk)).filter(({ sk }) => sk === as || sk === "PROFILE")).toEqual([]);
  });

  test("no role has a right to PartiQL, which the local DynamoDB does not emulate", async () => {
    const Statement = `SELECT * FROM "${TableName}"`;
    await expect(send(as, new ExecuteStatementCommand({ Statement }))).rejects.toMatchObject({
      name: "UnknownOperationException",
    });
    const policies = [...stack.iam.roles.values()].flatMap((role) => role.policies);
    const actions = policies.flatMap(({ statements }) =>
      statements.flatMap((statement) => (statement.isActionStatement() ? statement.actions() : [])),
    );
    expect(actions.map((action) => action.value()).filter((action) => /partiql|dynamodb:\*|^\*/i.test(action))).toEqual(
      [],
    );
  });
});

/** One call for each operation of the table in docs/storage.md, which changes nothing where it is allowed. */
const harmless: Record<string, (pk: string) => Asked> = {
  get: (pk) => new GetItemCommand({ TableName, Key: marshall({ pk, sk: "none" }) }),
  batchGet: (pk) =>
    new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [marshall({ pk, sk: "none" })] } } }),
  query: (pk) => new QueryCommand(query(pk)),
  put: (pk) => new PutItemCommand({ ...put({ pk, sk: "none" }), ConditionExpression: "attribute_exists(pk)" }),
  // The update names the key alone, which a right to update some attributes allows, too.
  update: (pk) =>
    new UpdateItemCommand({
      TableName,
      Key: marshall({ pk, sk: "none" }),
      ConditionExpression: "attribute_exists(pk)",
    }),
  delete: (pk) =>
    new DeleteItemCommand({
      TableName,
      Key: marshall({ pk, sk: "none" }),
      ConditionExpression: "attribute_exists(pk)",
    }),
  condition: (pk) => {
    const Key = marshall({ pk, sk: "none" });
    const ConditionCheck = { TableName, Key, ConditionExpression: "attribute_exists(pk)" };
    return new TransactWriteItemsCommand({ TransactItems: [{ ConditionCheck }] });
  },
};

/** Whether a call comes so far that the table sees it. */
const isLetIn = (as: string, command: Asked) =>
  send(as, command).then(
    () => true,
    ({ name }) => name !== "AccessDeniedException",
  );

/** Whether IAM grants all that the table asks for. */
async function isAllowed(as: string, command: Asked): Promise<boolean> {
  const operation = command.constructor.name.replace(/Command$/, "");
  const principal = principals.get(as) as Principal;
  const asked = stack.dynamodb.authorizations(operation, dynamoDbRequest(operation, command.input));
  const decisions = await Promise.all(
    asked.map(({ action, resource, context = {} }) =>
      stack.iam.decide(principal, { action, resource, context: { "aws:RequestedRegion": region, ...context } }),
    ),
  );
  return decisions.every(({ allowed }) => allowed);
}

const activePrefixes = Object.values<StoredRecord>(records).flatMap(
  ({ patterns }) => patterns.activeIndex?.pk.prefix ?? [],
);

test("each function may do with each record exactly what docs/storage.md says", async () => {
  // They are some thousand: what the endpoint would ask IAM for each is asked here, and `npm run test:long` makes each call.
  const may = isLong ? isLetIn : isAllowed;
  const calls: [row: string, operation: string, command: Asked][] = [];
  for (const row of Object.keys(documentedRights())) {
    const [prefix = "", place] = row.split(" ").reverse();
    const name = activePrefixes.includes(prefix) ? "gsi2" : "gsi1";
    if (place === "index") calls.push([row, "query", new QueryCommand(query(`${prefix}none`, name))]);
    else for (const [operation, make] of Object.entries(harmless)) calls.push([row, operation, make(`${prefix}none`)]);
  }
  for (const [row, operation, command] of calls) {
    const rights = documentedRights()[row] ?? {};
    for (const as of everyone) {
      const allowed = (rights[as] ?? "").replaceAll("*", "").split(", ").includes(operation);
      expect([row, as, operation, await may(as, command)]).toEqual([row, as, operation, allowed]);
    }
  }
});

describe("of what is not theirs", () => {
  /** @param allowed those whose task it is */
  const onlyFor = async (allowed: readonly string[], command: (sk: string) => unknown) => {
    for (const as of everyone) {
      const outcome = send(as, command(`by-${as}`)).then(
        () => "allowed",
        ({ name }) => (name === "ConditionalCheckFailedException" ? "allowed" : name),
      );
      expect([as, await outcome]).toEqual([as, allowed.includes(as) ? "allowed" : "AccessDeniedException"]);
    }
  };
  /** Nothing meets it: what is asked is whether the right lets the call come so far. */
  const never = { ConditionExpression: "attribute_exists(pk) AND attribute_not_exists(pk)" };
  const tenant = () => tenantRecord.key({ tenant_id: tenantId() });

  test.each([
    ["owner_sub", "mallory"],
    ["gsi1_pk", "SLUG#bobs"],
    ["kms_cmk_arn", "arn:aws:kms:eu-central-1:1:key/mallorys"],
    ["monthly_cap_usd", 1_000_000],
  ])(
    "only the control plane and the function that owns the attribute can change %s of a workspace",
    async (attribute, value) => {
      const allowed = attribute === "kms_cmk_arn" ? (["control", "tenant-keys"] as const) : (["control"] as const);
      await onlyFor(allowed, () => new UpdateItemCommand({ ...update(tenant(), attribute, value), ...never }));
    },
  );

  test("only the control plane can write a workspace's whole row, or reserve an address", async () => {
    const row = { ...tenant(), ...tenantRecord.indexKey({ slug: "bobs" }), owner_sub: "mallory" };
    await onlyFor(["control"], () => new PutItemCommand({ ...put(row), ...never }));
    const reservation = { ...slugReservationRecord.key({ slug: "acme" }), tenant_id: "mallorys" };
    await onlyFor(["control"], () => new PutItemCommand({ ...put(reservation), ...never }));
  });

  test("only functions that receive payment events may write what a payment decides", async () => {
    const changed = (attribute: string) => () =>
      new UpdateItemCommand({ ...update(tenant(), attribute, true), ...never });
    await onlyFor(["control", "payments", "webhook"], changed("has_payment_method"));
    await onlyFor(["control", "payments"], changed("stripe_subscription_id"));
  });

  test("the webhook may update only the attributes of the payment state", async () => {
    const suspension = {
      TableName,
      Key: marshall(tenant()),
      UpdateExpression: "SET #status = :to, version = :to",
      ConditionExpression: "version = :to",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: marshall({ ":to": "x" }),
    };
    await expect(send("webhook", new UpdateItemCommand(suspension))).rejects.toMatchObject({
      name: "ConditionalCheckFailedException",
    });
    for (const changed of [
      { UpdateExpression: `${suspension.UpdateExpression}, owner_sub = :to` },
      { UpdateExpression: `${suspension.UpdateExpression} REMOVE owner_sub` },
      { UpdateExpression: "SET #status = owner_sub" },
      { ConditionExpression: "version = :to AND owner_sub = :to" },
    ]) {
      const Update = { ...suspension, ...changed };
      await denied("webhook", new UpdateItemCommand(Update));
      await denied("webhook", new TransactWriteItemsCommand({ TransactItems: [{ Update }] }));
    }
    const directory = update(directoryRecord.key({ tenant_id: tenantId() }), "gsi2_pk", "UNCHECKED#TENANTS");
    await denied("webhook", new UpdateItemCommand(directory));
    const report = reportRecord.key({ tenant_id: tenantId(), hour: "2026-11-21T05" });
    for (const name of ["value", "quantity", "customer_id"])
      await denied("webhook", new UpdateItemCommand(update(report, name, 0)));
  });

  test("no role can raise the amount of free credit that was granted", async () => {
    const key = creditRecord.key({ tenant_id: tenantId() });
    await onlyFor([], () => new UpdateItemCommand(update(key, "granted_tokens", 1_000_000)));
    await onlyFor(
      ["control", "reconcile"],
      () => new PutItemCommand({ ...put({ ...key, granted_tokens: 1 }), ...never }),
    );
    const drawn = () => new UpdateItemCommand({ ...update(key, "r#abc", 1), ...never });
    await onlyFor(["proxy", "meter", "settle"], drawn);
  });

  test("a membership is written only by functions that add people, and none of the others can make an owner", async () => {
    const membership = (sub: string) => ({ ...owner(), ...membershipRecord.key({ sub, tenant_id: tenantId() }), sub });
    await onlyFor(["control", "reconcile"], (sub) => new PutItemCommand({ ...put(membership(sub)), ...never }));
    const key = membershipRecord.key({ sub: "mallory", tenant_id: tenantId() });
    const promoted = () => new UpdateItemCommand({ ...update(key, "tenant_role", "owner"), ...never });
    await onlyFor(["control"], promoted);
    expect(await partition(stack, key.pk)).toEqual([]);
  });

  test("an audit entry is written only by functions whose changes it records, and cannot be changed", async () => {
    const key = auditRecord.key({ trail: tenantId(), at: "2026-11-21T05:00:00.000Z", audit_id: "a" });
    const recording = [
      ...(["control", "purge", "payments", "reconcile", "report", "webhook"] as const),
      ...(["triggers", "tenant-keys", "agentcore", "oauth"] as const),
    ];
    await onlyFor(recording, () => new PutItemCommand({ ...put({ ...key, action: "a" }), ...never }));
    await onlyFor([], () => new UpdateItemCommand(update(key, "action", "nothing.happened")));
    const removal = { TableName, Key: marshall(key), ...never };
    await onlyFor([], () => new DeleteItemCommand(removal));
  });
});

describe("mails", () => {
  const from = "Archway <no-reply@archway.example>";
  const sendAs = async (as: string, FromEmailAddress: string) => {
    const role = [...stack.iam.roles.values()].find((one) => one.name === roleOf(as));
    const principal = { roleArn: role?.arn ?? "", sessionName: "attacker", sessionTags: {} };
    const client = new SESv2Client(clientOptions(stack.aws, stack.credentials.issue(principal)));
    const text = { Data: "x", Charset: "UTF-8" };
    const Content = { Simple: { Subject: text, Body: { Text: text } } };
    const Destination = { ToAddresses: ["victim@b.example"] };
    const command = new SendEmailCommand({ FromEmailAddress, Destination, Content });
    const outcome = await client.send(command).then(
      () => "sent",
      ({ name }) => name,
    );
    client.destroy();
    return outcome;
  };

  test("mails are sent by only three functions, one of them only with manual approval, and only from the stack's address", async () => {
    for (const as of everyone) {
      const may = ["control", "notify", "triggers"].includes(as);
      expect([as, await sendAs(as, from)]).toEqual([as, may ? "sent" : "AccessDeniedException"]);
      expect([as, await sendAs(as, "boss@archway.example")]).toEqual([as, "AccessDeniedException"]);
    }
  });

  test("the function that mails notices writes only its own records, and cannot read keys or grants", async () => {
    await denied("notify", new PutItemCommand(put(owner())));
    await denied(
      "notify",
      new UpdateItemCommand(update(profileRecord.key({ sub: "ann" }), "email", "mallory@b.example")),
    );
    await denied("notify", new GetItemCommand({ TableName, Key: marshall(apiKeyRecord.key({ key_id: keyId })) }));
    await denied(
      "notify",
      new GetItemCommand({ TableName, Key: marshall(grantRecord.key({ tenant_id: tenantId(), dev_sub: "ann" })) }),
    );
  });

  test("the meter cannot read a person's e-mail address", async () => {
    const Key = marshall(profileRecord.key({ sub: stack.demo?.owner.sub ?? "" }));
    await denied("meter", new GetItemCommand({ TableName, Key }));
    await denied("meter", new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [Key] } } }));
    await denied("meter", new QueryCommand(query(profileRecord.key({ sub: stack.demo?.owner.sub ?? "" }).pk)));
  });
});

describe("keys' hashes", () => {
  test.each(["meter", "triggers"] as const)(
    "hashes of API keys cannot be read by %s, not even for a known id",
    async (as) => {
      const get = { TableName, Key: marshall(apiKeyRecord.key({ key_id: keyId })) };
      await denied(as, new GetItemCommand(get));
      await denied(as, new BatchGetItemCommand({ RequestItems: { [TableName]: { Keys: [get.Key] } } }));
      await denied(as, new TransactGetItemsCommand({ TransactItems: [{ Get: get }] }));
      await denied(
        as,
        new GetItemCommand({ ...get, ProjectionExpression: "#h", ExpressionAttributeNames: { "#h": "hash" } }),
      );
    },
  );

  test("hashes of API keys can be read by the proxy, by the key's id", async () => {
    const answer = await send(
      "proxy",
      new GetItemCommand({ TableName, Key: marshall(apiKeyRecord.key({ key_id: keyId })) }),
    );
    expect(answer).toMatchObject({ Item: { hash: { S: expect.stringMatching(/^\$2/) } } });
  });
});

test("only the program says what its app clients are for, only the triggers read it, and no function changes it", async () => {
  const key = appClientRecord.key({ client_id: String(stack.program.exports.consoleClientId) });
  for (const as of everyone) {
    await denied(as, new UpdateItemCommand(update(key, "use", "connector")));
    await denied(
      as,
      new PutItemCommand(
        put({ ...appClientRecord.key({ client_id: "mallory" }), client_id: "mallory", use: "console" }),
      ),
    );
    await denied(as, new DeleteItemCommand({ TableName, Key: marshall(key) }));
    if (as !== "agentcore")
      await denied(as, new PutItemCommand(put({ ...connectorClientRecord.key({ client_id: "mallory" }) })));
    const RequestItems = { [TableName]: { Keys: [marshall(key)] } };
    if (as !== "triggers") await denied(as, new BatchGetItemCommand({ RequestItems }));
  }
  const RequestItems = {
    [TableName]: { Keys: [marshall(key), marshall(tenantRecord.key({ tenant_id: tenantId() }))] },
  };
  const { Responses } = (await send("triggers", new BatchGetItemCommand({ RequestItems }))) as {
    Responses: Record<string, object[]>;
  };
  expect(Responses[TableName]).toHaveLength(2);
});

describe("a sign-in", () => {
  const Key = () => marshall(membershipRecord.key({ sub: "invited", tenant_id: tenantId() }));
  const activation = {
    UpdateExpression: "SET #status = :active, activated_at = :now",
    ConditionExpression: "attribute_exists(invited_at) AND attribute_not_exists(#status)",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: marshall({ ":active": "active", ":now": "2026-11-21T05:00:00.000Z" }),
  };

  test.each(["tenant_role", "tenant_id"])("the write of a sign-in cannot update %s", async (name) => {
    const Names = { "#status": "status", "#n": name };
    for (const changed of [
      { UpdateExpression: `${activation.UpdateExpression}, ${name} = :active` },
      { UpdateExpression: `${activation.UpdateExpression}, #n = :active`, ExpressionAttributeNames: Names },
      { UpdateExpression: `${activation.UpdateExpression}, #n.a = :active`, ExpressionAttributeNames: Names },
      { UpdateExpression: `${activation.UpdateExpression} REMOVE ${name}` },
      { UpdateExpression: `SET #status = ${name}, activated_at = :now`, ConditionExpression: "#status = :active" },
      { UpdateExpression: `SET #status = if_not_exists(${name}, :active), activated_at = :now` },
      { ConditionExpression: `${name} = :active` },
    ]) {
      await denied("triggers", new UpdateItemCommand({ TableName, Key: Key(), ...activation, ...changed }));
    }
    const AttributeUpdates = { [name]: { Value: { S: "owner" } } };
    await denied("triggers", new UpdateItemCommand({ TableName, Key: Key(), AttributeUpdates }));
    expect(await partition(stack, profileRecord.key({ sub: "invited" }).pk)).toEqual([]);
  });

  test("the write of a sign-in cannot change a member's removal, so that a removed person stays removed", async () => {
    for (const UpdateExpression of [
      `${activation.UpdateExpression} REMOVE removed_at`,
      `${activation.UpdateExpression}, removed_at = :now`,
    ])
      await denied("triggers", new UpdateItemCommand({ TableName, Key: Key(), ...activation, UpdateExpression }));
  });

  test("the write of a sign-in can activate an invitation, and write and read a profile", async () => {
    const update = new UpdateItemCommand({ TableName, Key: Key(), ...activation });
    await expect(send("triggers", update)).rejects.toMatchObject({ name: "ConditionalCheckFailedException" });
    const email = { ...profileRecord.indexKey({ email: "ann@b.example" }), email: "ann@b.example" };
    const profile = new UpdateItemCommand({
      TableName,
      Key: marshall(profileRecord.key({ sub: "ann" })),
      UpdateExpression: "SET gsi1_pk = :gsi1_pk, gsi1_sk = :gsi1_sk, email = :email",
      ExpressionAttributeValues: marshall(
        Object.fromEntries(Object.entries(email).map(([name, value]) => [`:${name}`, value])),
      ),
    });
    await send("triggers", profile);
    expect(await send("triggers", new QueryCommand(query(profileRecord.key({ sub: "ann" }).pk)))).toMatchObject({
      Count: 1,
    });
  });
});

test("the meter may change only the mark of the cap in a workspace's row", async () => {
  const Key = marshall(tenantRecord.key({ tenant_id: tenantId() }));
  const mark = { TableName, Key, ExpressionAttributeValues: marshall({ ":to": { month: "2026-10", spent: 1 } }) };
  for (const UpdateExpression of [
    "SET capped_month = :to, monthly_cap_usd = :to",
    "SET monthly_cap_usd = :to",
    "SET capped_month = :to REMOVE monthly_cap_usd",
    "SET capped_month = if_not_exists(owner_sub, :to)",
  ]) {
    await denied("meter", new UpdateItemCommand({ ...mark, UpdateExpression }));
  }
  const UpdateExpression = "SET capped_month = :to";
  const ConditionExpression = "has_payment_method = :to";
  await denied("meter", new UpdateItemCommand({ ...mark, UpdateExpression, ConditionExpression }));
  for (const as of ["proxy", "settle", "triggers"] as const) {
    await denied(as, new UpdateItemCommand({ ...mark, UpdateExpression }));
  }
  await send(
    "meter",
    new UpdateItemCommand({ ...mark, UpdateExpression, ConditionExpression: "attribute_exists(pk)" }),
  );
});

describe("what each function does all day still passes", () => {
  test("the proxy can find a workspace only by its slug", async () => {
    const found = await send("proxy", new QueryCommand(query(tenantRecord.indexKey({ slug: "acme" }).gsi1_pk, "gsi1")));
    expect(found).toMatchObject({ Count: 1 });
    for (const as of ["meter", "triggers"] as const) {
      await denied(as, new QueryCommand(query(tenantRecord.indexKey({ slug: "acme" }).gsi1_pk, "gsi1")));
    }
  });

  test("a person's own row with a foreign slug neither hides a workspace nor opens one", async () => {
    const planted = {
      ...stack.demo,
      tenant_id: "other",
      owner_sub: "mallory",
      status: "active",
      has_payment_method: true,
    };
    for (const requestId of ["plant-1", "plant-2", "plant-3"]) {
      const row = { ...ledgerRecord.key({ tenant_id: "t", hour: "2026-11-21T05", request_id: requestId }), ...planted };
      await send("proxy", new PutItemCommand(put({ ...row, ...tenantRecord.indexKey({ slug: "acme" }) })));
      await send(
        "meter",
        new PutItemCommand(put({ ...row, sk: `${requestId}b`, ...tenantRecord.indexKey({ slug: "nobodys" }) })),
      );
    }
    // A row of a workspace that is listed under another's address: as none but the control plane may write it.
    for (const slug of ["acme", "nobodys"]) {
      const forged = {
        ...planted,
        ...tenantRecord.key({ tenant_id: `0-${slug}` }),
        ...tenantRecord.indexKey({ slug }),
        tenant_id: `0-${slug}`,
      };
      await send("control", new PutItemCommand(put(forged)));
    }
    await settled(stack);
    await stack.functions.byName("proxy-local").kill();
    const response = await ask(stack);
    expect(response.status).toBe(200);
    await response.text();
    expect((await ask(stack, {}, { slug: "nobodys" })).status).toBe(404);
  });

  test("every operation of the control plane has the rights that it needs", async () => {
    const from = stack.calls.since(0).cursor;
    const { demo } = stack;
    const token = await consoleToken(stack, demo?.owner as Person);
    const newcomer = await signUp(stack, "newcomer@rights.example");
    const call = async (method: string, path: string, body?: object, as = token, name = "") => {
      const headers = {
        authorization: `Bearer ${as}`,
        ...(body && {
          "content-type": "application/json",
          "idempotency-key": `rights ${path} ${method} ${name}`.replaceAll(" ", "-"),
        }),
      };
      const init = { method, headers, ...(body && { body: JSON.stringify(body) }) };
      const response = await fetch(stack.at("api") + path, init);
      const text = await response.text();
      return { status: response.status, body: text === "" ? undefined : JSON.parse(text) };
    };
    const grant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 1 };
    const own = `/v1/grants/${demo?.owner.sub}`;
    const answers = [
      await call("GET", "/v1/me"),
      await call("GET", "/v1/usage?group_by=caller"),
      await call("GET", "/v1/tenants/my"),
      await call("PUT", own, grant),
      await call("GET", own),
      await call("GET", "/v1/grants"),
      await call("DELETE", own),
      await call("POST", "/v1/keys", { name: "rights" }),
      await call("GET", "/v1/keys"),
    ];
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200, 204, 201, 200]);
    const key = `/v1/keys/${answers[7]?.body.key_id}`;
    expect((await call("PATCH", key, { name: "renamed", expires_at: "2099-01-01T00:00:00Z" })).status).toBe(200);
    const rotated = await call("POST", `${key}/rotate`, {});
    expect(rotated.status).toBe(201);
    expect((await call("POST", `${key}/rotate`, {})).status).toBe(409);
    expect((await call("DELETE", `/v1/keys/${rotated.body.key_id}`)).status).toBe(204);
    expect((await call("DELETE", key)).status).toBe(204);
    const service = await call("POST", "/v1/keys", { name: "CI", kind: "service_account", grant }, token, "CI");
    expect(service.status).toBe(201);
    const ofService = `/v1/keys/${service.body.key_id}`;
    expect((await call("PATCH", ofService, { grant: { ...grant, monthly_budget_usd: 2 } })).status).toBe(200);
    expect((await call("DELETE", ofService)).status).toBe(204);
    const admin = await consoleToken(stack, demo?.platform_admin as Person);
    const asAdmin = (method: string, path: string, body?: object) => call(method, path, body, admin);
    const waiting = await asAdmin("GET", "/v1/users/pending");
    expect(waiting.status).toBe(200);
    for (const { user_id } of waiting.body.data) {
      expect((await asAdmin("POST", `/v1/users/${user_id}/approve`)).status).toBe(200);
    }
    expect((await asAdmin("GET", "/v1/audit/platform")).body.data.length).toBeGreaterThan(0);
    // A repeat reads what was answered, and a name that is taken reads who has it.
    const newcomerToken = await consoleToken(stack, newcomer);
    for (let attempt = 0; attempt < 2; attempt++) {
      expect((await call("POST", "/v1/tenants", { name: "Rights" }, newcomerToken)).status).toBe(201);
    }
    const taken = await fetch(`${stack.at("api")}/v1/tenants`, {
      method: "POST",
      headers: { authorization: `Bearer ${newcomerToken}`, "content-type": "application/json" },
      body: JSON.stringify({ name: "Acme" }),
    });
    expect(taken.status).toBe(409);
    // What an owner and a platform administrator look for and change.
    const tenant = `/v1/tenants/${demo?.tenant_id}`;
    expect((await call("PATCH", tenant, { monthly_cap_usd: 500 })).status).toBe(200);
    expect((await call("GET", "/v1/audit?action=tenant.update")).body.data).toHaveLength(1);
    for (const filter of ["slug=acme", `email=${encodeURIComponent(String(demo?.owner.email))}`, "status=active"]) {
      const { status, body } = await asAdmin("GET", `/v1/tenants?${filter}`);
      expect([filter, status, body.data[0]?.tenant_id]).toEqual([filter, 200, expect.any(String)]);
    }
    const [made] = (await call("GET", "/v1/tenants", undefined, newcomerToken)).body.data;
    const ofNewcomer = `/v1/tenants/${made.tenant_id}`;
    expect((await asAdmin("POST", `${ofNewcomer}/suspend`, { reason: "A test" })).status).toBe(200);
    expect((await asAdmin("POST", `${ofNewcomer}/resume`)).status).toBe(200);
    expect((await call("DELETE", ofNewcomer, undefined, newcomerToken)).status).toBe(204);
    expect((await asAdmin("DELETE", `${ofNewcomer}/purge`)).status).toBe(202);
    expect(stack.calls.since(from).calls.filter(({ allowed }) => !allowed)).toEqual([]);
  });

  test("every call of a message, its settlement and the meter has the rights that it needs", async () => {
    const from = stack.calls.since(0).cursor;
    const response = await ask(stack);
    expect(response.status).toBe(200);
    await response.text();
    await settled(stack);
    stack.clock.advance(2 * 3600 * 1000);
    await runMeter(stack);
    const { calls } = stack.calls.since(from);
    expect(calls.map(({ operation }) => operation)).toEqual(expect.arrayContaining(["UpdateItem", "PutItem", "Query"]));
    expect(calls.filter(({ allowed }) => !allowed)).toEqual([]);
  });
});
