import { expect, test } from "@jest/globals";
import { authorizeUrl, Browser, callback, poolId, postToken, refusal, start } from "../harness.ts";

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
] as [object, string][])("a client with %j is refused", async (changes, code) => {
  await using stack = await start();
  expect((await refusal(stack.call("CreateUserPoolClient", { ...connector, ...changes }))).code).toBe(code);
  expect(stack.store.collection("cognito/client").all()).toHaveLength(2);
});
