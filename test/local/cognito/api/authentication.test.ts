import { createHmac } from "node:crypto";
import { expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { mailedCode, password, poolId, publicClient, refusal, type Stack, secretClient, start } from "../harness.ts";

const Username = "ann@example.com";
const credentials = { USERNAME: Username, PASSWORD: password };

const initiate = ({ call }: Stack, AuthParameters: object = credentials, further: object = {}) =>
  call("InitiateAuth", { ClientId: "public", AuthFlow: "USER_PASSWORD_AUTH", AuthParameters, ...further });

test("signing in with a password gives tokens with Cognito's own scope", async () => {
  await using stack = await start();
  const { sub } = await stack.addUser(Username);
  const { AuthenticationResult, ChallengeParameters } = await initiate(stack);
  expect(ChallengeParameters).toEqual({});
  expect(AuthenticationResult).toEqual({
    AccessToken: expect.any(String),
    IdToken: expect.any(String),
    RefreshToken: expect.any(String),
    ExpiresIn: 3600,
    TokenType: "Bearer",
  });
  expect(decodeJwt(AuthenticationResult.AccessToken)).toMatchObject({ sub, scope: "aws.cognito.signin.user.admin" });
  expect(decodeJwt(AuthenticationResult.IdToken)).toMatchObject({ email: Username, aud: "public" });
  expect(stack.events).toMatchObject([{ triggerSource: "TokenGeneration_Authentication" }]);
});

test("an administrator's sign-in has its own flow", async () => {
  await using stack = await start();
  await stack.addUser(Username);
  const input = { UserPoolId: poolId, ClientId: "public", AuthParameters: credentials };
  const result = await stack.call("AdminInitiateAuth", { ...input, AuthFlow: "ADMIN_USER_PASSWORD_AUTH" });
  expect(result.AuthenticationResult.TokenType).toBe("Bearer");
  const error = await refusal(stack.call("AdminInitiateAuth", { ...input, AuthFlow: "USER_PASSWORD_AUTH" }));
  expect(error.code).toBe("InvalidParameterException");
});

test("a refresh token is refreshed without a new one", async () => {
  await using stack = await start();
  await stack.addUser(Username);
  const { AuthenticationResult: first } = await initiate(stack);
  const { AuthenticationResult: second } = await initiate(
    stack,
    { REFRESH_TOKEN: first.RefreshToken },
    { AuthFlow: "REFRESH_TOKEN_AUTH" },
  );
  expect(second).not.toHaveProperty("RefreshToken");
  expect(decodeJwt(second.AccessToken).origin_jti).toBe(decodeJwt(first.AccessToken).origin_jti);
  expect(stack.events.at(-1)?.triggerSource).toBe("TokenGeneration_RefreshTokens");
});

test("with rotation the refresh flow is not available here", async () => {
  const refreshTokenRotation = { feature: "ENABLED" };
  await using stack = await start({ clients: [{ ...publicClient, refreshTokenRotation }] });
  const error = await refusal(initiate(stack, { REFRESH_TOKEN: "x" }, { AuthFlow: "REFRESH_TOKEN_AUTH" }));
  expect(error.message).toContain("not available with refresh token rotation");
});

test("a temporary password is answered by a challenge, and that by a new password", async () => {
  await using stack = await start();
  const UserAttributes = [{ Name: "email_verified", Value: "true" }];
  const invitation = { UserPoolId: poolId, Username, UserAttributes, TemporaryPassword: password };
  const { User } = await stack.call("AdminCreateUser", invitation);
  const challenge = await initiate(stack);
  expect(challenge).toEqual({
    ChallengeName: "NEW_PASSWORD_REQUIRED",
    Session: expect.stringMatching(/^[\w-]{43}$/),
    ChallengeParameters: {
      USER_ID_FOR_SRP: User.Username,
      requiredAttributes: "[]",
      userAttributes: JSON.stringify({ email_verified: "true", email: Username }),
    },
  });
  const answer = (ChallengeResponses: object) =>
    stack.call("RespondToAuthChallenge", {
      ClientId: "public",
      ChallengeName: "NEW_PASSWORD_REQUIRED",
      Session: challenge.Session,
      ChallengeResponses: { USERNAME: Username, ...ChallengeResponses },
      ClientMetadata: { from: "test" },
    });
  expect((await refusal(answer({ NEW_PASSWORD: "weak" }))).code).toBe("InvalidPasswordException");
  expect((await refusal(answer({ USERNAME: "bob@example.com", NEW_PASSWORD: "x" }))).code).toBe(
    "NotAuthorizedException",
  );
  expect((await refusal(answer({ NEW_PASSWORD: "x", "userAttributes.name": "Ann" }))).message).toContain(
    "not emulated",
  );
  const { AuthenticationResult } = await answer({ NEW_PASSWORD: "Another-horse-2" });
  expect(AuthenticationResult.TokenType).toBe("Bearer");
  expect(stack.events.at(-1)).toMatchObject({
    triggerSource: "TokenGeneration_NewPasswordChallenge",
    request: { clientMetadata: { from: "test" } },
  });
  expect((await refusal(answer({ NEW_PASSWORD: "Another-horse-3" }))).code).toBe("NotAuthorizedException");
});

test("signing up, confirming and signing in", async () => {
  await using stack = await start();
  const signUp = { ClientId: "public", Username, Password: password };
  expect(await stack.call("SignUp", signUp)).toEqual({
    UserConfirmed: false,
    UserSub: expect.stringMatching(/^[0-9a-f-]{36}$/),
    CodeDeliveryDetails: { AttributeName: "email", DeliveryMedium: "EMAIL", Destination: "a***@e***" },
  });
  expect((await refusal(stack.call("SignUp", signUp))).code).toBe("UsernameExistsException");
  expect((await refusal(initiate(stack))).code).toBe("UserNotConfirmedException");
  const confirm = { ClientId: "public", Username, ConfirmationCode: mailedCode(stack) };
  expect(await stack.call("ConfirmSignUp", confirm)).toEqual({});
  expect((await initiate(stack)).AuthenticationResult.TokenType).toBe("Bearer");
});

test("a mailed code is refused when wrong, too often tried, or old", async () => {
  await using stack = await start();
  await stack.call("SignUp", { ClientId: "public", Username, Password: password });
  const confirm = (ConfirmationCode: string) =>
    stack.call("ConfirmSignUp", { ClientId: "public", Username, ConfirmationCode });
  const code = mailedCode(stack);
  for (let tries = 0; tries < 5; tries += 1)
    expect((await refusal(confirm("wrong"))).code).toBe("CodeMismatchException");
  expect((await refusal(confirm(code))).code).toBe("LimitExceededException");
  await refusal(initiate(stack));
  stack.clock.advance(24 * 3_600_000);
  expect((await refusal(confirm(code))).code).toBe("ExpiredCodeException");
});

test("a client may write only its attributes", async () => {
  await using stack = await start({ clients: [{ ...publicClient, writeAttributes: ["email"] }] });
  const UserAttributes = [{ Name: "name", Value: "Ann" }];
  const error = await refusal(
    stack.call("SignUp", { ClientId: "public", Username, Password: password, UserAttributes }),
  );
  expect(error).toMatchObject({
    code: "NotAuthorizedException",
    message: "A client attempted to write unauthorized attribute",
  });
});

test("a client with a secret proves it by a hash", async () => {
  await using stack = await start();
  await stack.addUser(Username);
  const hash = (name: string) =>
    createHmac("sha256", secretClient.clientSecret).update(`${name}confidential`).digest("base64");
  const signIn = (further: object) => initiate(stack, { ...credentials, ...further }, { ClientId: "confidential" });
  expect((await refusal(signIn({}))).message).toContain("SECRET_HASH was not received");
  expect((await refusal(signIn({ SECRET_HASH: hash("bob") }))).message).toContain("SecretHash does not match");
  expect((await signIn({ SECRET_HASH: hash(Username) })).AuthenticationResult.TokenType).toBe("Bearer");
});

test("strangers and wrong passwords look alike, unless the client tells", async () => {
  const telling = { ...publicClient, id: "telling", preventUserExistenceErrors: "LEGACY" };
  await using stack = await start({ clients: [publicClient, telling] });
  await stack.addUser(Username);
  const wrong = await refusal(initiate(stack, { ...credentials, PASSWORD: "guess" }));
  const stranger = await refusal(initiate(stack, { ...credentials, USERNAME: "bob@example.com" }));
  expect([wrong.code, wrong.message]).toEqual(["NotAuthorizedException", "Incorrect username or password."]);
  expect([stranger.code, stranger.message]).toEqual([wrong.code, wrong.message]);
  const told = await refusal(initiate(stack, { ...credentials, USERNAME: "bob@example.com" }, { ClientId: "telling" }));
  expect(told.code).toBe("UserNotFoundException");
});

test.each([
  ["an unknown client", { ClientId: "nobody" }, "ResourceNotFoundException"],
  ["a flow that the client lacks", { ClientId: "plain" }, "InvalidParameterException"],
  ["a flow that is not emulated", { AuthFlow: "USER_SRP_AUTH" }, "InvalidParameterException"],
  ["an administrator's flow", { AuthFlow: "ADMIN_USER_PASSWORD_AUTH" }, "InvalidParameterException"],
  ["no password", { AuthParameters: { USERNAME: Username } }, "InvalidParameterException"],
])("signing in with %s is refused", async (_case, further, code) => {
  const { explicitAuthFlows: _, ...plain } = { ...publicClient, id: "plain" };
  await using stack = await start({ clients: [publicClient, plain] });
  await stack.addUser(Username);
  expect((await refusal(initiate(stack, credentials, further))).code).toBe(code);
});

test("a trigger's refusal is the caller's error", async () => {
  await using stack = await start({
    trigger: ({ triggerSource }) => {
      if (triggerSource.startsWith("TokenGeneration")) throw new Error("No seat left");
    },
  });
  await stack.addUser(Username);
  expect(await refusal(initiate(stack))).toMatchObject({
    code: "UserLambdaValidationException",
    message: "PreTokenGeneration failed with error No seat left.",
    status: 400,
  });
});
