import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { AwsError } from "../../../local/aws-service.ts";
import { Store } from "../../../local/store.ts";
import {
  authorizeUrl,
  awsRequest,
  Browser,
  poolArn,
  poolId,
  postToken,
  publicClient,
  refusal,
  signInWithPkce,
  start,
} from "./harness.ts";

const email = "ann@example.com";

test("a call on the pool needs the right of its name on that pool", async () => {
  await using stack = await start();
  const { provider } = stack;
  expect(provider.signingName).toBe("cognito-idp");
  const operations = [
    "AdminCreateUser",
    "AdminGetUser",
    "AdminDeleteUser",
    "AdminSetUserPassword",
    "AdminUpdateUserAttributes",
    "AdminUserGlobalSignOut",
    "AdminLinkProviderForUser",
    "AdminConfirmSignUp",
    "AdminInitiateAuth",
    "ListUsers",
    "DescribeUserPool",
    "CreateUserPoolClient",
    "DescribeUserPoolClient",
    "UpdateUserPoolClient",
    "DeleteUserPoolClient",
    "ListUserPoolClients",
    "CreateResourceServer",
    "DescribeResourceServer",
    "DeleteResourceServer",
  ];
  for (const operation of operations) {
    const request = awsRequest(operation, { UserPoolId: poolId });
    expect(provider.operation(request)).toBe(operation);
    expect(provider.authorizations(operation, request)).toEqual([
      { action: `cognito-idp:${operation}`, resource: poolArn },
    ]);
  }
});

test("calls of people's own devices need none", async () => {
  await using stack = await start();
  for (const operation of ["SignUp", "ConfirmSignUp", "InitiateAuth", "RespondToAuthChallenge"]) {
    const request = awsRequest(operation, { ClientId: "public" });
    expect(stack.provider.authorizations(stack.provider.operation(request), request)).toEqual([]);
  }
});

test("another pool is another resource, and does not exist", async () => {
  await using stack = await start();
  const request = awsRequest("ListUsers", { UserPoolId: "eu-central-1_other" });
  expect(stack.provider.authorizations("ListUsers", request)).toMatchObject([
    { resource: poolArn.replace(poolId, "eu-central-1_other") },
  ]);
  const error = await refusal(stack.provider.handle("ListUsers", request));
  expect(error).toMatchObject({
    code: "ResourceNotFoundException",
    message: "User pool eu-central-1_other does not exist.",
  });
});

test("an unknown operation, member or body is a clear error", async () => {
  await using stack = await start();
  const { provider } = stack;
  expect(() => provider.operation(awsRequest("AdminDisableUser", {}))).toThrow("does not emulate AdminDisableUser");
  const unknown = provider.handle("ListUsers", awsRequest("ListUsers", { UserPoolId: poolId, Sort: "up" }));
  expect((await refusal(unknown)).message).toBe("Sort: not emulated");
  const missing = provider.handle("ListUsers", awsRequest("ListUsers", {}));
  expect((await refusal(missing)).message).toContain("UserPoolId");
  expect(() => provider.authorizations("ListUsers", awsRequest("ListUsers", "{"))).toThrow("not a JSON object");
});

test("errors leave in the JSON protocol", async () => {
  await using stack = await start();
  const error = new AwsError("UserNotFoundException", "User does not exist.");
  expect(stack.provider.failure(error)).toEqual({
    status: 400,
    headers: { "content-type": "application/x-amz-json-1.1" },
    body: '{"__type":"UserNotFoundException","message":"User does not exist."}',
  });
});

test("everything survives a restart, and what is declared is as declared", async () => {
  const folder = await mkdtemp(join(tmpdir(), "identity-"));
  const path = join(folder, "store.sqlite");
  let store = new Store(path);
  let stack = await start({ store });
  const browser = new Browser(stack);
  await stack.addUser(email);
  await browser.signIn(authorizeUrl(stack), email);
  const tokens = await signInWithPkce(stack, email);
  const input = { UserPoolId: poolId, ClientName: "at run time" };
  const { ClientId } = (await stack.call("CreateUserPoolClient", input)).UserPoolClient;
  await stack.call("CreateResourceServer", { UserPoolId: poolId, Identifier: "api", Name: "API" });
  await stack.call("UpdateUserPoolClient", { UserPoolId: poolId, ClientId: "public", ClientName: "changed" });
  const jwks = async () => (await fetch(`${stack.baseUrl}/${poolId}/.well-known/jwks.json`)).text();
  const keys = await jwks();
  await stack[Symbol.asyncDispose]();
  store.close();

  store = new Store(path);
  stack = await start({ store, clients: [publicClient] });
  expect(await jwks()).toBe(keys);
  const refresh = { grant_type: "refresh_token", client_id: "public", refresh_token: tokens.refresh_token };
  expect(await postToken(stack, refresh)).toMatchObject({ status: 200 });
  expect(await signInWithPkce(stack, email)).toMatchObject({ status: 200 });
  const moved = new Browser(stack);
  for (const [name, value] of browser.cookies) moved.cookies.set(name, value);
  expect((await moved.open(authorizeUrl(stack))).leftFor?.searchParams.has("code")).toBe(true);
  const { UserPoolClients } = await stack.call("ListUserPoolClients", { UserPoolId: poolId });
  const ids = UserPoolClients.map((client: { ClientId: string }) => client.ClientId);
  expect(ids.sort()).toEqual([ClientId, "public"].sort());
  const declared = await stack.call("DescribeUserPoolClient", { UserPoolId: poolId, ClientId: "public" });
  expect(declared.UserPoolClient).toMatchObject({ ClientName: "token-helper" });
  await stack.call("DescribeResourceServer", { UserPoolId: poolId, Identifier: "api" });
  await stack[Symbol.asyncDispose]();
  store.close();
  await rm(folder, { recursive: true });
});

test("neither passwords nor opaque tokens are in the store", async () => {
  const folder = await mkdtemp(join(tmpdir(), "identity-"));
  const store = new Store(join(folder, "store.sqlite"));
  const stack = await start({ store });
  await stack.addUser(email);
  const browser = new Browser(stack);
  const { leftFor } = await browser.signIn(authorizeUrl(stack), email);
  const { refresh_token } = await signInWithPkce(stack, email);
  const kinds = ["user", "code", "refresh-token", "browser-session", "authentication", "challenge"];
  const kept = JSON.stringify(kinds.map((kind) => store.collection(`identity/${kind}`).all()));
  expect(kept).toContain(email);
  const secrets = ["Correct-horse-1", refresh_token, leftFor?.searchParams.get("code"), browser.cookies.get("cognito")];
  for (const secret of secrets) {
    expect(secret).toBeTruthy();
    expect(kept).not.toContain(secret);
  }
  await stack[Symbol.asyncDispose]();
  store.close();
  await rm(folder, { recursive: true });
});
