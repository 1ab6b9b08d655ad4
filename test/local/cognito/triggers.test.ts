import { expect, test } from "@jest/globals";
import {
  authorizeUrl,
  Browser,
  declaredPool,
  mailedCode,
  password,
  poolId,
  refusal,
  type Stack,
  signInWithPkce,
  start,
} from "./harness.ts";

const email = "ann@example.com";
const common = {
  region: "eu-central-1",
  userPoolId: poolId,
  callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId: "public" },
};

const signUp = ({ call }: Stack, further: object = {}) =>
  call("SignUp", { ClientId: "public", Username: email, Password: password, ...further });

test("PreSignUp gets what Cognito sends", async () => {
  await using stack = await start();
  const { UserSub } = await signUp(stack, {
    ValidationData: [{ Name: "invite", Value: "i1" }],
    ClientMetadata: { from: "test" },
  });
  expect(stack.events).toEqual([
    {
      ...common,
      version: "1",
      triggerSource: "PreSignUp_SignUp",
      userName: UserSub,
      request: { userAttributes: { email }, validationData: { invite: "i1" }, clientMetadata: { from: "test" } },
      response: { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false },
    },
  ]);
});

test("PostConfirmation gets what Cognito sends", async () => {
  await using stack = await start();
  const { UserSub } = await signUp(stack);
  await stack.call("ConfirmSignUp", { ClientId: "public", Username: email, ConfirmationCode: mailedCode(stack) });
  expect(stack.events.at(-1)).toEqual({
    ...common,
    version: "1",
    triggerSource: "PostConfirmation_ConfirmSignUp",
    userName: UserSub,
    request: {
      userAttributes: { sub: UserSub, email, email_verified: "true", "cognito:user_status": "CONFIRMED" },
    },
    response: {},
  });
});

test("PreTokenGeneration gets what Cognito sends in version 2", async () => {
  await using stack = await start();
  const { sub } = await stack.addUser(email);
  await signInWithPkce(stack, email);
  expect(stack.events).toEqual([
    {
      ...common,
      version: "2",
      triggerSource: "TokenGeneration_HostedAuth",
      userName: sub,
      request: {
        userAttributes: { sub, email, email_verified: "true", "cognito:user_status": "CONFIRMED" },
        scopes: ["openid", "email", "platform/proxy:invoke"],
        groupConfiguration: { groupsToOverride: [], iamRolesToOverride: [], preferredRole: null },
      },
      response: { claimsAndScopeOverrideDetails: null },
    },
  ]);
});

test("with V3_0 people's events carry version 3", async () => {
  const config = { ...declaredPool.lambdaConfig.preTokenGenerationConfig, lambdaVersion: "V3_0" };
  await using stack = await start({ pool: { ...declaredPool, lambdaConfig: { preTokenGenerationConfig: config } } });
  await stack.addUser(email);
  await signInWithPkce(stack, email);
  expect(stack.events).toMatchObject([{ version: "3", triggerSource: "TokenGeneration_HostedAuth" }]);
});

test("PreSignUp can refuse an administrator, but its answer confirms nobody", async () => {
  let refuses = false;
  await using stack = await start({
    trigger: ({ triggerSource, response }) => {
      if (refuses) throw new Error("Full");
      if (triggerSource.startsWith("PreSignUp"))
        Object.assign(response, { autoConfirmUser: true, autoVerifyEmail: true });
    },
  });
  const input = { UserPoolId: poolId, Username: email, MessageAction: "SUPPRESS" };
  const { User } = await stack.call("AdminCreateUser", input);
  expect(User.UserStatus).toBe("FORCE_CHANGE_PASSWORD");
  expect(User.Attributes).not.toContainEqual({ Name: "email_verified", Value: "true" });
  expect(stack.events).toMatchObject([
    { triggerSource: "PreSignUp_AdminCreateUser", callerContext: { clientId: "CLIENT_ID_NOT_APPLICABLE" } },
  ]);
  refuses = true;
  const error = await refusal(stack.call("AdminCreateUser", { ...input, Username: "bob@example.com" }));
  expect(error).toMatchObject({ code: "UserLambdaValidationException", message: "PreSignUp failed with error Full." });
});

test("PostConfirmation never fires for someone whom an administrator created, not for a new password either", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const browser = new Browser(stack);
  const forgot = await browser.open(authorizeUrl(stack).replace("/oauth2/authorize", "/forgotPassword"));
  const confirm = await browser.submit(forgot, { username: email });
  const login = await browser.submit(confirm, { code: mailedCode(stack), password });
  await browser.submit(login, { username: email, password });
  expect(stack.events.map(({ triggerSource }) => triggerSource)).toEqual(["TokenGeneration_HostedAuth"]);
});

test("an administrator's confirmation fires PostConfirmation without a client", async () => {
  await using stack = await start();
  await signUp(stack);
  await stack.call("AdminConfirmSignUp", { UserPoolId: poolId, Username: email });
  expect(stack.events.at(-1)).toMatchObject({
    triggerSource: "PostConfirmation_ConfirmSignUp",
    callerContext: { clientId: "CLIENT_ID_NOT_APPLICABLE" },
    request: { userAttributes: { email_verified: "false" } },
  });
});

test("a failing PostConfirmation leaves the account confirmed, and is not asked again", async () => {
  await using stack = await start({
    trigger: ({ triggerSource }) => {
      if (triggerSource.startsWith("PostConfirmation")) throw new Error("No table");
    },
  });
  await signUp(stack);
  const confirm = { ClientId: "public", Username: email, ConfirmationCode: mailedCode(stack) };
  const first = await refusal(stack.call("ConfirmSignUp", confirm));
  expect(first).toMatchObject({
    code: "UserLambdaValidationException",
    message: "PostConfirmation failed with error No table.",
  });
  const second = await refusal(stack.call("ConfirmSignUp", confirm));
  expect(second).toMatchObject({
    code: "NotAuthorizedException",
    message: "User cannot be confirmed. Current status is CONFIRMED",
  });
  expect(stack.events.filter(({ triggerSource }) => triggerSource.startsWith("PostConfirmation"))).toHaveLength(1);
});

test("a function that does not answer in time is asked three times", async () => {
  await using stack = await start({
    triggerTimeoutMs: 5,
    trigger: () => new Promise(() => {}),
  });
  const error = await refusal(signUp(stack));
  expect(error).toMatchObject({
    code: "UnexpectedLambdaException",
    message: "PreSignUp invocation failed due to error Socket timeout while invoking Lambda function.",
  });
  expect(stack.events).toHaveLength(3);
});

test("a function that is late once is asked again and then believed", async () => {
  let asked = 0;
  await using stack = await start({
    triggerTimeoutMs: 20,
    trigger: ({ response }) => {
      asked += 1;
      response.autoConfirmUser = true;
      return asked === 1 ? new Promise(() => {}) : undefined;
    },
    pool: { ...declaredPool, lambdaConfig: { preSignUp: declaredPool.lambdaConfig.preSignUp } },
  });
  expect(await signUp(stack)).toMatchObject({ UserConfirmed: true });
  expect(asked).toBe(2);
  expect(stack.events[1]).toEqual(stack.events[0]);
});

test.each([
  ["nothing", undefined],
  ["no response", { version: "1" }],
  ["a misspelt field", { response: { autoConfirm: true } }],
  ["a wrong type", { response: { autoConfirmUser: "yes" } }],
])("a function that gives %s is told so", async (_case, answer) => {
  await using stack = await start({ invokeTrigger: async () => answer });
  const error = await refusal(signUp(stack));
  expect(error.code).toBe("InvalidLambdaResponseException");
  expect(error.message).toContain("PreSignUp gave an unrecognizable lambda output");
});
