import { expect, jest, test } from "@jest/globals";
import { readPool } from "../../cognito/settings.ts";
import { Triggers } from "../../cognito/triggers.ts";
import { declaredPool, password, poolId } from "./declarations.ts";
import { authorizeUrl, Browser, mailedCode, refusal, type Stack, signInWithPkce, start } from "./harness.ts";

const email = "ann@example.com";
const common = {
  region: "eu-central-1",
  userPoolId: poolId,
  callerContext: { awsSdkVersion: "aws-sdk-unknown-unknown", clientId: "public" },
};

const subOf = async ({ call }: Stack): Promise<string> =>
  (await call("AdminGetUser", { UserPoolId: poolId, Username: email })).Username;

test("the event of PreSignUp is the one that Cognito sends", async () => {
  await using stack = await start();
  await stack.signUp(email);
  expect(stack.events).toEqual([
    {
      ...common,
      version: "1",
      triggerSource: "PreSignUp_SignUp",
      userName: await subOf(stack),
      request: { userAttributes: { email }, validationData: null },
      response: { autoConfirmUser: false, autoVerifyEmail: false, autoVerifyPhone: false },
    },
  ]);
});

test("the event of PostConfirmation is the one that Cognito sends", async () => {
  await using stack = await start();
  const { browser, page } = await stack.signUp(email);
  await browser.submit(page, { code: mailedCode(stack) });
  const sub = await subOf(stack);
  expect(stack.events.at(-1)).toEqual({
    ...common,
    version: "1",
    triggerSource: "PostConfirmation_ConfirmSignUp",
    userName: sub,
    request: {
      userAttributes: { sub, email, email_verified: "true", "cognito:user_status": "CONFIRMED" },
    },
    response: {},
  });
});

test("the event of PreTokenGeneration is the one that Cognito sends in version 2", async () => {
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

test("PreSignUp can refuse an account that an administrator creates, but cannot confirm it", async () => {
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

test("PostConfirmation is not called for an account that an administrator created, even after its new password", async () => {
  await using stack = await start();
  await stack.addUser(email);
  const browser = new Browser(stack);
  const forgot = await browser.open(authorizeUrl(stack).replace("/oauth2/authorize", "/forgotPassword"));
  const confirm = await browser.submit(forgot, { username: email });
  const login = await browser.submit(confirm, { code: mailedCode(stack), password });
  await browser.submit(login, { username: email, password });
  expect(stack.events.map(({ triggerSource }) => triggerSource)).toEqual(["TokenGeneration_HostedAuth"]);
});

test("a failing PostConfirmation leaves the account confirmed, and is not called again", async () => {
  await using stack = await start({
    trigger: ({ triggerSource }) => {
      if (triggerSource.startsWith("PostConfirmation")) throw new Error("No table");
    },
  });
  const { browser, page } = await stack.signUp(email);
  const confirm = async () => (await browser.submit(page, { code: mailedCode(stack) })).html;
  expect(await confirm()).toContain("PostConfirmation failed with error No table.");
  expect(await confirm()).toContain("User cannot be confirmed. Current status is CONFIRMED");
  expect(stack.events.filter(({ triggerSource }) => triggerSource.startsWith("PostConfirmation"))).toHaveLength(1);
});

test("a trigger that does not answer in time is called three times", async () => {
  await using stack = await start({
    triggerTimeoutMs: 5,
    trigger: () => new Promise(() => {}),
  });
  const { page } = await stack.signUp(email);
  expect(page.html).toContain("PreSignUp invocation failed due to error Socket timeout");
  expect(stack.events).toHaveLength(3);
});

test("the start of an instance does not count towards a trigger's time, and a slow machine has more time", async () => {
  jest.useFakeTimers();
  try {
    const begin: ((pace: number) => void)[] = [];
    const invoke = (_arn: string, _event: unknown, onStart: (pace: number) => void) => {
      begin.push(onStart);
      return new Promise(() => {});
    };
    const options = { settings: readPool(declaredPool), region: "eu-central-1", invoke, timeoutMs: 5000 };
    const asked = new Triggers(options).preSignUp("SignUp", { userName: "ann", attributes: {} });
    const refused = expect(asked).rejects.toThrow("Socket timeout");

    await jest.advanceTimersByTimeAsync(60_000);
    expect(begin).toHaveLength(1);
    const asks: number[] = [];
    for (const pace of [1, 4, 1]) {
      begin.at(-1)?.(pace);
      await jest.advanceTimersByTimeAsync(5000 * pace - 1);
      asks.push(begin.length);
      await jest.advanceTimersByTimeAsync(1);
    }
    await refused;
    expect(asks).toEqual([1, 2, 3]);
  } finally {
    jest.useRealTimers();
  }
});

test("a trigger that is late once is called again, and the second answer counts", async () => {
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
  expect((await stack.signUp(email)).page.html).toContain("Your account is confirmed.");
  expect(asked).toBe(2);
  expect(stack.events[1]).toEqual(stack.events[0]);
});

test.each([
  ["nothing", undefined],
  ["no response", { version: "1" }],
  ["a misspelt field", { response: { autoConfirm: true } }],
  ["a wrong type", { response: { autoConfirmUser: "yes" } }],
])("a trigger that returns %s is an error that says what is wrong", async (_case, answer) => {
  await using stack = await start({ invokeTrigger: async () => answer });
  const { page } = await stack.signUp(email);
  expect(page.html).toContain("PreSignUp gave an unrecognizable lambda output");
});
