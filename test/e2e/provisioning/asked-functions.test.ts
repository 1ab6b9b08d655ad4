// What the functions of keys, accounts and payments do for others: who may ask them, and what each may do that nobody else may.
import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  AdminLinkProviderForUserCommand,
  AdminSetUserPasswordCommand,
  AdminUpdateUserAttributesCommand,
  CognitoIdentityProviderClient,
  ListUsersCommand,
} from "@aws-sdk/client-cognito-identity-provider";
import {
  CreateAliasCommand,
  CreateKeyCommand,
  DescribeKeyCommand,
  DisableKeyCommand,
  EncryptCommand,
  KMSClient,
  PutKeyPolicyCommand,
  ScheduleKeyDeletionCommand,
} from "@aws-sdk/client-kms";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { askedAccounts } from "../../../adapters/functions/accounts.ts";
import { invocation } from "../../../adapters/functions/invocation.ts";
import { askedPayments } from "../../../adapters/functions/payments.ts";
import { askedTenantKeys } from "../../../adapters/functions/tenant-keys.ts";
import { clientOptions } from "../../../emulators/test/support/aws-endpoint.ts";
import type { Stack } from "../../../local/stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";

let stack: Stack;
const clients: { destroy(): void }[] = [];
beforeAll(async () => {
  stack = await sharedStack();
});
afterAll(() => {
  for (const client of clients) client.destroy();
});

/** The options of a client with the credentials of a function's role. */
function as(roleName: string) {
  const role = [...stack.iam.roles.values()].find(({ name }) => name === roleName);
  if (!role) throw new Error(`no role ${roleName}`);
  const principal = { roleArn: role.arn, sessionName: "test", sessionTags: {} };
  return clientOptions(stack.aws, stack.credentials.issue(principal));
}

const arnOf = (name: string) => stack.functions.byName(`${name}-local`).settings.arn;
function askedBy(roleName: string) {
  const client = new LambdaClient(as(roleName));
  clients.push(client);
  const invoke = invocation(undefined, async () => client);
  return {
    accounts: askedAccounts(arnOf("accounts"), invoke),
    keys: askedTenantKeys(arnOf("tenant-keys"), invoke),
    payments: askedPayments(arnOf("payments"), invoke),
  };
}

const into = { workspace: { name: "Acme", slug: "acme" }, inviter: "owner@acme.test" };

test("the control plane has a person invited by the function of the accounts, and the person gets the mail", async () => {
  const { accounts } = askedBy("control-local");
  const { sub, state } = await accounts.invite("new@people.example", into);
  expect([sub, state]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), "created"]);
  expect(await accounts.invite("new@people.example", into)).toEqual({ sub, state: "invited" });
  expect(await accounts.resend("new@people.example", into)).toBe(true);
  expect(stack.mailbox.mails("new@people.example")).toHaveLength(2);
  await expect(accounts.invite("nobody", into)).rejects.toMatchObject({
    code: "invalid_request",
    fields: [{ path: "email" }],
  });
});

test.each([
  ...["proxy-local", "meter-local", "settle-local", "triggers-local"],
  ...["tenant-keys-local", "accounts-local", "payments-local"],
])("the function %s may invoke none of the functions for outside systems", async (role) => {
  const { accounts, keys, payments } = askedBy(role);
  const refused = { cause: { name: "AccessDeniedException" } };
  await expect(accounts.invite("new@people.example", into)).rejects.toMatchObject(refused);
  await expect(keys.setUp("t1")).rejects.toMatchObject(refused);
  await expect(payments.state("t1")).rejects.toMatchObject(refused);
});

/** A key that the platform did not make, of another stack or of none. */
async function aForeignKey(tags: Record<string, string> = {}): Promise<string> {
  const input = { Tags: Object.entries(tags).map(([TagKey, TagValue]) => ({ TagKey, TagValue })) };
  const answer = await stack.kms.handle("CreateKey", {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: { "x-amz-target": "TrentService.CreateKey" },
    body: Buffer.from(JSON.stringify(input)),
    region: stack.program.region,
    principal: undefined,
  });
  return JSON.parse(String(answer.body)).KeyMetadata.Arn;
}

function kmsAs(roleName: string): KMSClient {
  const client = new KMSClient(as(roleName));
  clients.push(client);
  return client;
}

const tenantsKey = () => stack.kms.keys().find(({ tags }) => tags.tenant_id === stack.demo?.tenant_id)?.arn ?? "";
const denied = { name: "AccessDeniedException" };
const tags = (values: Record<string, string>) => ({
  Tags: Object.entries(values).map(([TagKey, TagValue]) => ({ TagKey, TagValue })),
});

describe("the role of the tenants' keys", () => {
  test("the role of tenant-keys cannot create a key without the tags of its stack and a tenant, nor with other tags", async () => {
    const kms = kmsAs("tenant-keys-local");
    const own = { archway_stack: "dev", tenant_id: "t1" };
    for (const wrong of [
      {},
      { tenant_id: "t1" },
      { archway_stack: "dev" },
      { ...own, archway_stack: "prod" },
      { ...own, more: "1" },
    ]) {
      await expect(kms.send(new CreateKeyCommand(tags(wrong)))).rejects.toMatchObject(denied);
    }
  });

  test("the role of tenant-keys cannot delete a key of another stack, and its own only with the longest notice", async () => {
    const kms = kmsAs("tenant-keys-local");
    for (const KeyId of [await aForeignKey(), await aForeignKey({ archway_stack: "prod", tenant_id: "t1" })]) {
      await expect(kms.send(new DisableKeyCommand({ KeyId }))).rejects.toMatchObject(denied);
      const deletion = new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 30 });
      await expect(kms.send(deletion)).rejects.toMatchObject(denied);
    }
    const soon = new ScheduleKeyDeletionCommand({ KeyId: tenantsKey(), PendingWindowInDays: 7 });
    await expect(kms.send(soon)).rejects.toMatchObject(denied);
  });

  test("the role of tenant-keys cannot change the policy of another stack's key, nor give an alias to a key that it did not create", async () => {
    const kms = kmsAs("tenant-keys-local");
    const policy = new PutKeyPolicyCommand({ KeyId: await aForeignKey(), Policy: "{}" });
    await expect(kms.send(policy)).rejects.toMatchObject(denied);
    const alias = { AliasName: "alias/archway/dev/mine", TargetKeyId: await aForeignKey() };
    await expect(kms.send(new CreateAliasCommand(alias))).rejects.toMatchObject(denied);
    const elsewhere = { AliasName: "alias/archway/prod/mine", TargetKeyId: tenantsKey() };
    await expect(kms.send(new CreateAliasCommand(elsewhere))).rejects.toMatchObject(denied);
  });
});

const others = [
  "control-local",
  "proxy-local",
  "meter-local",
  "purge-local",
  "triggers-local",
  "accounts-local",
  "payments-local",
  "reconcile-local",
];

test.each(others)("the function %s has no rights on tenants' keys, not even to use them", async (role) => {
  const kms = kmsAs(role);
  const KeyId = tenantsKey();
  for (const command of [
    new CreateKeyCommand(tags({ archway_stack: "dev", tenant_id: "t1" })),
    new DescribeKeyCommand({ KeyId }),
    new DisableKeyCommand({ KeyId }),
    new ScheduleKeyDeletionCommand({ KeyId, PendingWindowInDays: 30 }),
    new EncryptCommand({ KeyId, Plaintext: Buffer.from("secret") }),
    new CreateAliasCommand({ AliasName: "alias/archway/dev/x", TargetKeyId: KeyId }),
  ]) {
    await expect(kms.send(command as DescribeKeyCommand)).rejects.toMatchObject(denied);
  }
});

test("a tenant that is not deleted keeps key, billing and accounts, whatever control requests", async () => {
  const { accounts, keys, payments } = askedBy("control-local");
  const tenantId = stack.demo?.tenant_id ?? "";
  const owner = stack.demo?.owner.sub ?? "";
  for (const ask of [
    () => keys.remove(tenantId),
    () => payments.remove(tenantId),
    () => payments.end(tenantId),
    () => accounts.removeMembers(tenantId, [owner]),
  ]) {
    await expect(ask()).rejects.toMatchObject({ code: "workspace_not_deleted" });
  }
  expect(await accounts.removeInvited(owner)).toBe(false);
  expect(stack.kms.keys().find(({ arn }) => arn === tenantsKey())?.state).toBe("Enabled");
});

describe.each([
  ...["control-local", "purge-local", "triggers-local"],
  ...["tenant-keys-local", "payments-local", "reconcile-local"],
])("the role %s", (role) => {
  test("no function except accounts administers accounts", async () => {
    const client = new CognitoIdentityProviderClient(as(role));
    const UserPoolId = stack.program.resources.ofType("aws:cognito/userPool:UserPool")[0]?.outputs.id;
    const person = { UserPoolId, Username: "new@people.example" };
    const isTriggers = role === "triggers-local";
    const commands = [
      // What a sign-in looks an address up by.
      ...(isTriggers ? [] : [new AdminGetUserCommand(person)]),
      new AdminCreateUserCommand(person),
      new AdminDeleteUserCommand(person),
      new AdminSetUserPasswordCommand({ ...person, Password: "Another-password-1", Permanent: true }),
      new AdminUpdateUserAttributesCommand({ ...person, UserAttributes: [{ Name: "email_verified", Value: "true" }] }),
      new ListUsersCommand({ UserPoolId }),
    ];
    for (const command of commands) {
      await expect(client.send(command as AdminGetUserCommand)).rejects.toMatchObject({
        name: "AccessDeniedException",
      });
    }
    const linking = new AdminLinkProviderForUserCommand({
      UserPoolId,
      DestinationUser: { ProviderName: "Cognito", ProviderAttributeValue: "nobody@people.example" },
      SourceUser: { ProviderName: "Google", ProviderAttributeName: "Cognito_Subject", ProviderAttributeValue: "1" },
    });
    await expect(client.send(linking)).rejects.toMatchObject({
      name: isTriggers ? "UserNotFoundException" : "AccessDeniedException",
    });
    client.destroy();
  });
});
