import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "@jest/globals";
import { AwsError } from "../../aws/service.ts";
import { Store } from "../../store.ts";
import { password, poolArn, poolId, publicClient } from "./declarations.ts";
import { authorizeUrl, awsRequest, Browser, postToken, refusal, type Stack, signInWithPkce, start } from "./harness.ts";

const email = "ann@example.com";

test("a call on the user pool needs the right of its name on that pool", async () => {
  await using stack = await start();
  const { provider } = stack;
  expect(provider.signingName).toBe("cognito-idp");
  const operations = [
    "AdminCreateUser",
    "AdminGetUser",
    "AdminDeleteUser",
    "AdminSetUserPassword",
    "AdminUpdateUserAttributes",
    "AdminLinkProviderForUser",
    "AdminSetUserMFAPreference",
    "ListUsers",
    "CreateUserPoolClient",
    "DescribeUserPoolClient",
    "DeleteUserPoolClient",
  ];
  for (const operation of operations) {
    const request = awsRequest(operation, { UserPoolId: poolId });
    expect(provider.operation(request)).toBe(operation);
    expect(provider.authorizations(operation, request)).toEqual([
      { action: `cognito-idp:${operation}`, resource: poolArn },
    ]);
  }
});

test("calls that people's own devices make need no right", async () => {
  await using stack = await start();
  for (const operation of ["GetUser", "AssociateSoftwareToken", "VerifySoftwareToken", "SetUserMFAPreference"]) {
    const request = awsRequest(operation, { AccessToken: "token" });
    expect(stack.provider.authorizations(stack.provider.operation(request), request)).toEqual([]);
  }
});

test("another user pool is another resource, which does not exist", async () => {
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

test("an unknown operation, member or body of a Cognito call is refused with a clear error", async () => {
  await using stack = await start();
  const { provider } = stack;
  expect(() => provider.operation(awsRequest("AdminDisableUser", {}))).toThrow("does not emulate AdminDisableUser");
  const unknown = provider.handle("ListUsers", awsRequest("ListUsers", { UserPoolId: poolId, Sort: "up" }));
  expect((await refusal(unknown)).message).toBe("Sort: not emulated");
  const missing = provider.handle("ListUsers", awsRequest("ListUsers", {}));
  expect((await refusal(missing)).message).toContain("UserPoolId");
  expect(() => provider.authorizations("ListUsers", awsRequest("ListUsers", "{"))).toThrow("not a JSON object");
});

test("Cognito's errors have the form of the JSON protocol", async () => {
  await using stack = await start();
  const error = new AwsError("UserNotFoundException", "User does not exist.");
  expect(stack.provider.failure(error)).toEqual({
    status: 400,
    headers: { "content-type": "application/x-amz-json-1.1", "access-control-allow-origin": "*" },
    body: '{"__type":"UserNotFoundException","message":"User does not exist."}',
  });
});

async function temporaryFile() {
  const folder = await mkdtemp(join(tmpdir(), "identity-"));
  const remove = () => rm(folder, { recursive: true });
  return { path: join(folder, "store.sqlite"), [Symbol.asyncDispose]: remove };
}

function open(path: string) {
  const store = new Store(path);
  return { store, [Symbol.dispose]: () => store.close() };
}

test("Cognito's data survives a restart, and declared settings follow the program", async () => {
  await using file = await temporaryFile();
  const before = await firstRun(file.path);

  using database = open(file.path);
  await using stack = await start({ store: database.store, clients: [publicClient] });
  expect(await keysOf(stack)).toBe(before.keys);
  const refresh = { grant_type: "refresh_token", client_id: "public", refresh_token: before.refreshToken };
  expect(await postToken(stack, refresh)).toMatchObject({ status: 200 });
  expect(await signInWithPkce(stack, email)).toMatchObject({ status: 200 });
  const browser = new Browser(stack);
  for (const [name, value] of before.cookies) browser.cookies.set(name, value);
  expect((await browser.open(authorizeUrl(stack))).leftFor?.searchParams.has("code")).toBe(true);
  const clients = stack.store.collection<{ id: string }>("cognito/client").all();
  expect(clients.map(({ id }) => id).sort()).toEqual([before.ClientId, "public"].sort());
});

async function firstRun(path: string) {
  using database = open(path);
  await using stack = await start({ store: database.store });
  await stack.addUser(email);
  const browser = new Browser(stack);
  await browser.signIn(authorizeUrl(stack), email);
  const { refresh_token: refreshToken } = await signInWithPkce(stack, email);
  const input = {
    UserPoolId: poolId,
    ClientName: "at run time",
    SupportedIdentityProviders: ["COGNITO"],
    PreventUserExistenceErrors: "ENABLED",
  };
  const { ClientId } = (await stack.call("CreateUserPoolClient", input)).UserPoolClient;
  return { refreshToken, ClientId, cookies: browser.cookies, keys: await keysOf(stack) };
}

async function keysOf({ baseUrl }: Stack): Promise<string> {
  return (await fetch(`${baseUrl}/${poolId}/.well-known/jwks.json`)).text();
}

test("Cognito's store has neither passwords nor opaque tokens", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const browser = new Browser(stack);
  const { leftFor } = await browser.signIn(authorizeUrl(stack), email);
  const { refresh_token } = await signInWithPkce(stack, email);
  const kinds = ["user", "code", "refresh-token", "browser-session", "authentication", "challenge"];
  const kept = JSON.stringify(kinds.map((kind) => stack.store.collection(`cognito/${kind}`).all()));
  expect(kept).toContain(email);
  const secrets = [password, refresh_token, leftFor?.searchParams.get("code"), browser.cookies.get("cognito")];
  for (const secret of secrets) {
    expect(secret).toBeTruthy();
    expect(kept).not.toContain(secret);
  }
});
