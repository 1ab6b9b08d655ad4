import { expect, test } from "@jest/globals";
import { callback, poolId } from "../declarations.ts";
import { authorizeUrl, Browser, postToken, refusal, start } from "../harness.ts";

const UserPoolId = poolId;

const connector = {
  UserPoolId,
  ClientName: "gateway-t1",
  GenerateSecret: true,
  AllowedOAuthFlowsUserPoolClient: true,
  AllowedOAuthFlows: ["code"],
  AllowedOAuthScopes: ["openid", "email"],
  CallbackURLs: [callback],
  SupportedIdentityProviders: ["COGNITO"],
  PreventUserExistenceErrors: "ENABLED",
  AccessTokenValidity: 15,
  TokenValidityUnits: { AccessToken: "minutes" },
  RefreshTokenRotation: { Feature: "ENABLED", RetryGracePeriodSeconds: 10 },
};

test("a client that is created at run time is described as it was created, and can sign people in", async () => {
  await using stack = await start();
  await stack.addUser("ann@example.com");
  const { UserPoolClient } = await stack.call("CreateUserPoolClient", connector);
  const { ClientId, ClientSecret } = UserPoolClient;
  const { GenerateSecret: _, ...given } = connector;
  expect(UserPoolClient).toMatchObject({
    ...given,
    ClientId: expect.stringMatching(/^[a-z0-9]{26}$/),
    ClientSecret: expect.stringMatching(/^[a-z0-9]{51}$/),
    TokenValidityUnits: { AccessToken: "minutes", IdToken: "hours", RefreshToken: "days" },
    EnableTokenRevocation: true,
  });
  expect(await stack.call("DescribeUserPoolClient", { UserPoolId, ClientId })).toEqual({ UserPoolClient });
  const url = authorizeUrl(stack, { client_id: ClientId, scope: "openid" });
  const { leftFor } = await new Browser(stack).signIn(url, "ann@example.com");
  const tokens = await postToken(stack, {
    grant_type: "authorization_code",
    client_id: ClientId,
    client_secret: ClientSecret,
    redirect_uri: callback,
    code: leftFor?.searchParams.get("code") ?? "",
  });
  expect(tokens).toMatchObject({ status: 200, expires_in: 900 });
});

test("an update replaces all settings of a client, and leaves its id and its secret", async () => {
  await using stack = await start();
  const { ClientId, ClientSecret } = (await stack.call("CreateUserPoolClient", connector)).UserPoolClient;
  const { GenerateSecret: _, AccessTokenValidity: __, RefreshTokenRotation: ___, ...kept } = connector;
  const changed = { ...kept, ClientId, ClientName: "gateway-t2", CallbackURLs: ["https://new.example/cb"] };
  const { UserPoolClient } = await stack.call("UpdateUserPoolClient", changed);
  expect(UserPoolClient).toMatchObject({ ...changed, ClientSecret, AccessTokenValidity: 0 });
  expect(UserPoolClient).not.toHaveProperty("RefreshTokenRotation");
  expect(await stack.call("DescribeUserPoolClient", { UserPoolId, ClientId })).toEqual({ UserPoolClient });
  const wrong = stack.call("UpdateUserPoolClient", { ...changed, AllowedOAuthScopes: ["unknown"] });
  expect(await refusal(wrong)).toMatchObject({ code: "ScopeDoesNotExistException" });
});

test("a deleted client is gone", async () => {
  await using stack = await start();
  const { ClientId } = (await stack.call("CreateUserPoolClient", connector)).UserPoolClient;
  expect(await stack.call("DeleteUserPoolClient", { UserPoolId, ClientId })).toBeUndefined();
  for (const operation of ["DescribeUserPoolClient", "DeleteUserPoolClient"]) {
    const error = await refusal(stack.call(operation, { UserPoolId, ClientId }));
    expect(error).toMatchObject({
      code: "ResourceNotFoundException",
      message: `User pool client ${ClientId} does not exist.`,
    });
  }
});

test("a client has at most two secrets, and both are valid until they are deleted", async () => {
  await using stack = await start();
  const ownSecret = "a".repeat(24);
  const { GenerateSecret: _, ...rest } = connector;
  const { ClientId } = (await stack.call("CreateUserPoolClient", { ...rest, ClientSecret: ownSecret })).UserPoolClient;
  const client = { UserPoolId, ClientId };
  const add = (ClientSecret?: string) => stack.call("AddUserPoolClientSecret", { ...client, ClientSecret });
  const added = (await add("b".repeat(24))).ClientSecretDescriptor;
  expect(added).toEqual({
    ClientSecretId: expect.stringMatching(`^${ClientId}--`),
    ClientSecretCreateDate: expect.any(Number),
  });
  expect((await refusal(add())).code).toBe("LimitExceededException");
  const isAccepted = async (client_secret: string) =>
    (await postToken(stack, { grant_type: "refresh_token", client_id: ClientId, client_secret, refresh_token: "x" }))
      .error !== "invalid_client";
  expect([await isAccepted(ownSecret), await isAccepted("b".repeat(24))]).toEqual([true, true]);
  const { ClientSecrets } = await stack.call("ListUserPoolClientSecrets", client);
  expect(ClientSecrets).toHaveLength(2);
  expect(JSON.stringify(ClientSecrets)).not.toContain("bbb");
  const [first, second] = ClientSecrets;
  const remove = ({ ClientSecretId }: { ClientSecretId: string }) =>
    stack.call("DeleteUserPoolClientSecret", { ...client, ClientSecretId });
  await remove(first);
  expect([await isAccepted(ownSecret), await isAccepted("b".repeat(24))]).toEqual([false, true]);
  expect((await refusal(remove(second))).code).toBe("InvalidParameterException");
});

test.each([["short"], ["a".repeat(65)], ["-".repeat(30)]])("the client secret %s is refused", async (ClientSecret) => {
  await using stack = await start();
  const error = await refusal(
    stack.call("CreateUserPoolClient", { ...connector, GenerateSecret: false, ClientSecret }),
  );
  expect(error.code).toBe("InvalidParameterException");
});

test("all clients are listed, page by page", async () => {
  await using stack = await start();
  const first = await stack.call("ListUserPoolClients", { UserPoolId, MaxResults: 1 });
  const second = await stack.call("ListUserPoolClients", { UserPoolId, MaxResults: 1, NextToken: first.NextToken });
  expect([...first.UserPoolClients, ...second.UserPoolClients]).toHaveLength(2);
  expect(second.NextToken).toBeUndefined();
});

test.each([
  [{ AllowedOAuthFlows: ["client_credentials"] }, "InvalidParameterException"],
  [{ AllowedOAuthFlows: ["implicit"] }, "InvalidParameterException"],
  [{ CallbackURLs: [] }, "InvalidOAuthFlowException"],
  [{ CallbackURLs: ["http://app.example.com/in"] }, "InvalidParameterException"],
  [{ CallbackURLs: ["https://app.example.com/in#there"] }, "InvalidParameterException"],
  [{ CallbackURLs: ["javascript://%0aalert(1)"] }, "InvalidParameterException"],
  [{ CallbackURLs: ["https://exämple.com/in"] }, "InvalidParameterException"],
  [{ LogoutURLs: ["nowhere"] }, "InvalidParameterException"],
  [{ AllowedOAuthScopes: ["platform/nothing"] }, "ScopeDoesNotExistException"],
  [{ SupportedIdentityProviders: ["GitHub"] }, "InvalidParameterException"],
  [{ SupportedIdentityProviders: ["Google"] }, "InvalidParameterException"],
  [{ PreventUserExistenceErrors: "LEGACY" }, "InvalidParameterException"],
  [{ AccessTokenValidity: 1 }, "InvalidParameterException"],
  [{ RefreshTokenValidity: 3651 }, "InvalidParameterException"],
  [{ TokenValidityUnits: { AccessToken: "weeks" } }, "InvalidParameterException"],
  [{ AnalyticsConfiguration: {} }, "InvalidParameterException"],
] as [object, string][])("creating a client with %j is refused", async (changes, code) => {
  await using stack = await start();
  expect((await refusal(stack.call("CreateUserPoolClient", { ...connector, ...changes }))).code).toBe(code);
  expect(stack.store.collection("cognito/client").all()).toHaveLength(2);
});
