import { expect, test } from "@jest/globals";
import { authorizeUrl, Browser, callback, poolArn, poolId, postToken, refusal, start } from "../harness.ts";

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
  AccessTokenValidity: 15,
  TokenValidityUnits: { AccessToken: "minutes" },
  RefreshTokenRotation: { Feature: "ENABLED", RetryGracePeriodSeconds: 10 },
};

test("a client made at run time is described as it was made, and can sign people in", async () => {
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
    PreventUserExistenceErrors: "LEGACY",
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

test("an update sets back what it leaves out, as in Cognito, and keeps the secret", async () => {
  await using stack = await start();
  const { UserPoolClient: before } = await stack.call("CreateUserPoolClient", connector);
  const { ClientId, ClientSecret, ClientName } = before;
  const CallbackURLs = ["https://app.example.com/in"];
  const { UserPoolClient: after } = await stack.call("UpdateUserPoolClient", { UserPoolId, ClientId, CallbackURLs });
  expect(after).toMatchObject({
    ClientId,
    ClientSecret,
    ClientName,
    CallbackURLs,
    AllowedOAuthFlows: [],
    AllowedOAuthFlowsUserPoolClient: false,
    AllowedOAuthScopes: [],
  });
  expect(after).not.toHaveProperty("RefreshTokenRotation");
});

test("an update is held to the same rules, and changes nothing if it breaks one", async () => {
  await using stack = await start();
  const { UserPoolClient } = await stack.call("CreateUserPoolClient", connector);
  const { ClientId } = UserPoolClient;
  const update = stack.call("UpdateUserPoolClient", { UserPoolId, ClientId, CallbackURLs: ["http://example.com"] });
  expect((await refusal(update)).code).toBe("InvalidParameterException");
  expect(await stack.call("DescribeUserPoolClient", { UserPoolId, ClientId })).toEqual({ UserPoolClient });
});

test("a deleted client is gone", async () => {
  await using stack = await start();
  const { ClientId } = (await stack.call("CreateUserPoolClient", connector)).UserPoolClient;
  expect(await stack.call("DeleteUserPoolClient", { UserPoolId, ClientId })).toBeUndefined();
  for (const operation of ["DescribeUserPoolClient", "DeleteUserPoolClient", "UpdateUserPoolClient"]) {
    const error = await refusal(stack.call(operation, { UserPoolId, ClientId }));
    expect(error).toMatchObject({
      code: "ResourceNotFoundException",
      message: `User pool client ${ClientId} does not exist.`,
    });
  }
});

test("clients are listed in pages, declared ones first", async () => {
  await using stack = await start();
  await stack.call("CreateUserPoolClient", connector);
  const first = await stack.call("ListUserPoolClients", { UserPoolId, MaxResults: 3 });
  const second = await stack.call("ListUserPoolClients", { UserPoolId, MaxResults: 3, NextToken: first.NextToken });
  const names = [...first.UserPoolClients, ...second.UserPoolClients].map(({ ClientName }) => ClientName);
  expect(names).toEqual(["token-helper", "connector", "machine", "gateway-t1"]);
  expect(Object.keys(first.UserPoolClients[0])).toEqual(["ClientId", "ClientName", "UserPoolId"]);
  expect(second).not.toHaveProperty("NextToken");
});

test.each([
  [{ AllowedOAuthFlows: ["code", "client_credentials"] }, "InvalidOAuthFlowException"],
  [{ AllowedOAuthFlows: ["client_credentials"], GenerateSecret: false }, "InvalidOAuthFlowException"],
  [{ AllowedOAuthFlows: ["implicit"] }, "InvalidParameterException"],
  [{ CallbackURLs: [] }, "InvalidOAuthFlowException"],
  [{ CallbackURLs: ["http://app.example.com/in"] }, "InvalidParameterException"],
  [{ CallbackURLs: ["https://app.example.com/in#there"] }, "InvalidParameterException"],
  [{ CallbackURLs: ["javascript://%0aalert(1)"] }, "InvalidParameterException"],
  [{ CallbackURLs: ["https://exämple.com/in"] }, "InvalidParameterException"],
  [{ LogoutURLs: ["nowhere"] }, "InvalidParameterException"],
  [{ DefaultRedirectURI: "https://app.example.com/other" }, "InvalidParameterException"],
  [{ AllowedOAuthScopes: ["platform/nothing"] }, "ScopeDoesNotExistException"],
  [{ SupportedIdentityProviders: ["GitHub"] }, "InvalidParameterException"],
  [{ AccessTokenValidity: 1 }, "InvalidParameterException"],
  [{ RefreshTokenValidity: 3651 }, "InvalidParameterException"],
  [{ TokenValidityUnits: { AccessToken: "weeks" } }, "InvalidParameterException"],
  [{ AnalyticsConfiguration: {} }, "InvalidParameterException"],
] as [object, string][])("a client with %j is refused", async (changes, code) => {
  await using stack = await start();
  expect((await refusal(stack.call("CreateUserPoolClient", { ...connector, ...changes }))).code).toBe(code);
  expect((await stack.call("ListUserPoolClients", { UserPoolId })).UserPoolClients).toHaveLength(3);
});

const Identifier = "https://gateway.example.com/mcp";
const Scopes = [{ ScopeName: "invoke", ScopeDescription: "Call tools" }];

test("resource servers come and go", async () => {
  await using stack = await start();
  const server = { UserPoolId, Identifier, Name: "Gateway", Scopes };
  expect(await stack.call("CreateResourceServer", server)).toEqual({ ResourceServer: server });
  expect((await refusal(stack.call("CreateResourceServer", server))).code).toBe("InvalidParameterException");
  expect(await stack.call("DescribeResourceServer", { UserPoolId, Identifier })).toEqual({ ResourceServer: server });
  const AllowedOAuthScopes = [`${Identifier}/invoke`];
  const { UserPoolClient } = await stack.call("CreateUserPoolClient", { ...connector, AllowedOAuthScopes });
  expect(UserPoolClient).toMatchObject({ AllowedOAuthScopes });
  expect(await stack.call("DeleteResourceServer", { UserPoolId, Identifier })).toBeUndefined();
  for (const operation of ["DescribeResourceServer", "DeleteResourceServer"]) {
    const error = await refusal(stack.call(operation, { UserPoolId, Identifier }));
    expect(error.code).toBe("ResourceNotFoundException");
  }
});

test("a resource server's name has no blanks, and its scopes no slash", async () => {
  await using stack = await start();
  const create = (changes: object) =>
    stack.call("CreateResourceServer", { UserPoolId, Identifier, Name: "Gateway", Scopes, ...changes });
  expect((await refusal(create({ Identifier: "two words" }))).code).toBe("InvalidParameterException");
  const slashed = [{ ScopeName: "a/b", ScopeDescription: "x" }];
  expect((await refusal(create({ Scopes: slashed }))).code).toBe("InvalidParameterException");
});

test("the pool describes itself", async () => {
  await using stack = await start();
  const { UserPool } = await stack.call("DescribeUserPool", { UserPoolId });
  expect(UserPool).toMatchObject({
    Id: poolId,
    Arn: poolArn,
    CustomDomain: "auth.localhost",
    UsernameAttributes: ["email"],
    Policies: { PasswordPolicy: { MinimumLength: 12, RequireSymbols: false } },
    LambdaConfig: { PreTokenGenerationConfig: { LambdaVersion: "V2_0" } },
    EstimatedNumberOfUsers: 0,
  });
});
