// What `provision` does for others, by the real functions: who may ask it, and what it may do that they may not.
import {
  AdminCreateUserCommand,
  AdminDeleteUserCommand,
  AdminGetUserCommand,
  CognitoIdentityProviderClient,
} from "@aws-sdk/client-cognito-identity-provider";
import { LambdaClient } from "@aws-sdk/client-lambda";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { provisionClient, provisionedAccounts } from "../../adapters/provision.ts";
import { type Stack, startLocal } from "../../local/stack.ts";
import { clientOptions } from "../support/aws-endpoint.ts";

let stack: Stack;
const clients: { destroy(): void }[] = [];
beforeAll(async () => {
  stack = await startLocal({ port: 0, ephemeral: true });
});
afterAll(async () => {
  for (const client of clients) client.destroy();
  await stack.stop();
});

/** The options of a client with the credentials of a function's role. */
function as(roleName: string) {
  const role = [...stack.iam.roles.values()].find(({ name }) => name === roleName);
  if (!role) throw new Error(`no role ${roleName}`);
  const principal = { roleArn: role.arn, sessionName: "test", sessionTags: {} };
  return clientOptions(stack.aws, stack.credentials.issue(principal));
}

const functionArn = () => stack.functions.byName("provision-local").settings.arn;
function accountsFor(roleName: string) {
  const client = new LambdaClient(as(roleName));
  clients.push(client);
  return provisionedAccounts(provisionClient(functionArn(), async () => client));
}

test("the control plane has somebody invited, who gets the mail", async () => {
  const accounts = accountsFor("tenant-platform-control-local");
  const { sub, state } = await accounts.invite("new@people.example");
  expect([sub, state]).toEqual([expect.stringMatching(/^[0-9a-f-]{36}$/), "created"]);
  expect(await accounts.invite("new@people.example")).toEqual({ sub, state: "invited" });
  expect(await accounts.resend("new@people.example")).toBe(true);
  expect(stack.mailbox.mails("new@people.example")).toHaveLength(2);
  await expect(accounts.invite("nobody")).rejects.toMatchObject({ code: "invalid_request", fields: ["email"] });
});

test.each(["proxy-local", "metering-local", "settle-local", "identity-triggers-local"])(
  "%s may not ask it",
  async (role) => {
    await expect(accountsFor(role).invite("new@people.example")).rejects.toMatchObject({
      cause: { name: "AccessDeniedException" },
    });
  },
);

describe.each(["tenant-platform-control-local", "purge-local", "identity-triggers-local"])("the role %s", (role) => {
  test("administers no accounts itself", async () => {
    const client = new CognitoIdentityProviderClient(as(role));
    const person = {
      UserPoolId: stack.program.resources.ofType("aws:cognito/userPool:UserPool")[0]?.outputs.id,
      Username: "new@people.example",
    };
    for (const Command of [AdminGetUserCommand, AdminCreateUserCommand, AdminDeleteUserCommand]) {
      await expect(client.send(new Command(person) as never)).rejects.toMatchObject({ name: "AccessDeniedException" });
    }
    client.destroy();
  });
});
