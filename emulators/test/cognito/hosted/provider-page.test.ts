import { expect, test } from "@jest/globals";
import { decodeJwt } from "jose";
import { subjectOf } from "../../../cognito/external-providers.ts";
import { callback, declaredPool, google, password, poolId, publicClient } from "../declarations.ts";
import { authorizeUrl, Browser, call, postToken, refusal, type Stack, start, type Trigger } from "../harness.ts";

const email = "ann@example.com";
const userId = subjectOf({ type: "Google" }, { email, emailVerified: true });
const username = `google_${userId}`;

async function continueWithGoogle(stack: Stack, filled: Record<string, string>, browser = new Browser(stack)) {
  const page = await browser.open(authorizeUrl(stack, { identity_provider: "Google" }));
  return browser.submit(page, filled);
}

async function tokensOf(stack: Stack, code: string | null | undefined) {
  const form = { grant_type: "authorization_code", client_id: "public", redirect_uri: callback, code: code ?? "" };
  return postToken(stack, form);
}

const sources = ({ events }: Stack) => events.map(({ triggerSource }) => triggerSource);

test("the first sign-in through a provider creates a profile and calls the triggers in Cognito's order", async () => {
  await using stack = await start();
  const { leftFor } = await continueWithGoogle(stack, { email, email_verified: "true" });
  expect(sources(stack)).toEqual([
    "PreSignUp_ExternalProvider",
    "PostConfirmation_ConfirmSignUp",
    "TokenGeneration_HostedAuth",
  ]);
  expect(stack.events[0]).toMatchObject({
    userName: username,
    callerContext: { clientId: "public" },
    request: { userAttributes: { email, email_verified: "true", "cognito:email_alias": "" }, validationData: {} },
  });
  const { id_token } = await tokensOf(stack, leftFor?.searchParams.get("code"));
  expect(decodeJwt(id_token)).toMatchObject({
    "cognito:username": username,
    email,
    email_verified: true,
    identities: [{ userId, providerName: "Google", providerType: "Google", issuer: null, primary: "true" }],
  });
  expect(await stack.call("AdminGetUser", { UserPoolId: poolId, Username: username })).toMatchObject({
    UserStatus: "EXTERNAL_PROVIDER",
  });
});

test("later sign-ins through a provider call no sign-up trigger, and update what the provider says", async () => {
  await using stack = await start();
  await continueWithGoogle(stack, { email, email_verified: "true" });
  stack.events.length = 0;
  await continueWithGoogle(stack, { email });
  expect(sources(stack)).toEqual(["TokenGeneration_HostedAuth"]);
  expect(stack.events[0]?.request.userAttributes).toMatchObject({ email_verified: "false" });
});

test("an e-mail address without a mapping counts as unverified, unless the trigger verifies it", async () => {
  const unmapped = { ...google, attributeMapping: { email: "email", username: "sub" } };
  await using plain = await start({ identityProviders: [unmapped] });
  await continueWithGoogle(plain, { email, email_verified: "true" });
  expect(plain.events.at(-1)?.request.userAttributes).toMatchObject({ email_verified: "false" });
  await using verifying = await start({
    identityProviders: [unmapped],
    trigger: ({ triggerSource, response }) => {
      if (triggerSource.startsWith("PreSignUp")) response.autoVerifyEmail = true;
    },
  });
  await continueWithGoogle(verifying, { email });
  expect(verifying.events.at(-1)?.request.userAttributes).toMatchObject({ email_verified: "true" });
});

test("a person with a password and a person of a provider may have the same address", async () => {
  await using stack = await start();
  const native = await stack.addUser(email);
  await continueWithGoogle(stack, { email, email_verified: "true" });
  const { Users } = await stack.call("ListUsers", { UserPoolId: poolId, Filter: `email = "${email}"` });
  expect(Users.map((user: { Username: string }) => user.Username)).toEqual([native.username, username]);
});

test("a person of a provider who came first does not reserve the address", async () => {
  await using stack = await start();
  await continueWithGoogle(stack, { email, email_verified: "true" });
  const { page } = await stack.signUp(email);
  expect(page.html).toContain("<h1>Confirm your account</h1>");
  expect(await stack.call("AdminGetUser", { UserPoolId: poolId, Username: email })).toMatchObject({
    UserStatus: "UNCONFIRMED",
  });
});

test("an identity that has its own profile cannot be linked", async () => {
  await using stack = await start();
  await continueWithGoogle(stack, { email });
  await stack.addUser("bob@example.com");
  const linking = stack.call("AdminLinkProviderForUser", {
    UserPoolId: poolId,
    DestinationUser: { ProviderName: "Cognito", ProviderAttributeValue: "bob@example.com" },
    SourceUser: { ProviderName: "Google", ProviderAttributeName: "Cognito_Subject", ProviderAttributeValue: userId },
  });
  expect((await refusal(linking)).message).toContain("Merging is not currently supported");
});

test("an identity that the trigger links is refused at the first sign-in, and is signed in as the linked person at the next", async () => {
  const link: Trigger = async ({ triggerSource }) => {
    if (triggerSource !== "PreSignUp_ExternalProvider") return;
    await call(stack.provider, "AdminLinkProviderForUser", {
      UserPoolId: poolId,
      DestinationUser: { ProviderName: "Cognito", ProviderAttributeValue: native.username },
      SourceUser: { ProviderName: "Google", ProviderAttributeName: "Cognito_Subject", ProviderAttributeValue: userId },
    });
  };
  await using stack = await start({ trigger: link });
  const native = await stack.addUser(email);
  const first = await continueWithGoogle(stack, { email, email_verified: "true" });
  expect(first.leftFor?.searchParams.get("error_description")).toBe(`Already found an entry for username ${username}`);
  expect(sources(stack)).toEqual(["PreSignUp_ExternalProvider"]);
  const second = await continueWithGoogle(stack, { email, email_verified: "true" });
  expect(sources(stack)).toEqual(["PreSignUp_ExternalProvider", "TokenGeneration_HostedAuth"]);
  const { access_token, id_token } = await tokensOf(stack, second.leftFor?.searchParams.get("code"));
  expect(decodeJwt(access_token).sub).toBe(native.sub);
  expect(decodeJwt(id_token).identities).toMatchObject([{ userId, primary: "false" }]);
  expect((await stack.call("ListUsers", { UserPoolId: poolId })).Users).toHaveLength(1);
  const byPassword = await new Browser(stack).signIn(authorizeUrl(stack), email, password);
  expect(byPassword.leftFor?.searchParams.has("code")).toBe(true);
});

test("a sign-in that the trigger refuses creates no account", async () => {
  await using stack = await start({
    trigger: () => {
      throw new Error("Not you");
    },
  });
  const { leftFor } = await continueWithGoogle(stack, { email });
  expect(leftFor?.searchParams.get("error")).toBe("invalid_request");
  expect(leftFor?.searchParams.get("error_description")).toBe("PreSignUp failed with error Not you.");
  expect((await stack.call("ListUsers", { UserPoolId: poolId })).Users).toEqual([]);
});

test("the cookie of a sign-in through a provider makes the next one need no sign-in page", async () => {
  await using stack = await start();
  const browser = new Browser(stack);
  await continueWithGoogle(stack, { email }, browser);
  const again = await browser.open(authorizeUrl(stack, { identity_provider: "Google" }));
  expect(again.leftFor?.searchParams.has("code")).toBe(true);
  const byPassword = await browser.open(authorizeUrl(stack, { identity_provider: "COGNITO" }));
  expect(byPassword.html).toContain("<h1>Sign in</h1>");
});

test("the provider's page says what it is, and checks the address", async () => {
  await using stack = await start();
  const browser = new Browser(stack);
  const page = await browser.open(authorizeUrl(stack, { identity_provider: "Google", login_hint: email }));
  expect(page.html).toContain("This page plays Google. It lets you be anyone.");
  expect(page.html).toContain(`value="${email}"`);
  const again = await browser.submit(page, { email: "nobody" });
  expect(again.html).toContain("This is not an email address.");
});

test("a client that does not list the provider does not offer it", async () => {
  await using stack = await start({ clients: [{ ...publicClient, supportedIdentityProviders: ["COGNITO"] }] });
  const login = await new Browser(stack).open(authorizeUrl(stack));
  expect(login.html).not.toContain("Google");
  const { leftFor } = await new Browser(stack).open(authorizeUrl(stack, { identity_provider: "Google" }));
  expect(leftFor?.searchParams.get("error")).toBe("invalid_request");
});

test("a client cannot list an undeclared provider", async () => {
  await expect(start({ identityProviders: [] })).rejects.toThrow("The provider Google does not exist");
});

test("the case of a provider's subject is kept in mapped attributes, and becomes lower case in the username", async () => {
  const corp = {
    ...google,
    id: `${poolId}:Corp`,
    providerName: "Corp",
    providerType: "OIDC",
    attributeMapping: { ...google.attributeMapping, "custom:subject": "sub" },
  };
  const schemas = [{ name: "subject", attributeDataType: "String" }];
  const client = { ...publicClient, supportedIdentityProviders: ["COGNITO", "Corp"] };
  const options = { identityProviders: [corp], pool: { ...declaredPool, schemas }, clients: [client] };
  const link = (lowered: boolean): Trigger => {
    return async ({ triggerSource, request }) => {
      if (triggerSource !== "PreSignUp_ExternalProvider") return;
      const subject = (request.userAttributes as Record<string, string>)["custom:subject"] ?? "";
      await call(stack.provider, "AdminLinkProviderForUser", {
        UserPoolId: poolId,
        DestinationUser: { ProviderName: "Cognito", ProviderAttributeValue: email },
        SourceUser: {
          ProviderName: "Corp",
          ProviderAttributeName: "Cognito_Subject",
          ProviderAttributeValue: lowered ? subject.toLowerCase() : subject,
        },
      });
    };
  };
  let stack: Stack;
  const twice = async () => {
    await stack.addUser(email);
    const signIn = async () => {
      const browser = new Browser(stack);
      const page = await browser.open(authorizeUrl(stack, { identity_provider: "Corp" }));
      return (await browser.submit(page, { email, email_verified: "true" })).leftFor?.searchParams;
    };
    await signIn();
    return signIn();
  };
  await using exact = await start({ ...options, trigger: link(false) });
  stack = exact;
  expect((await twice())?.has("code")).toBe(true);
  const [{ userName, request } = { userName: "", request: {} as Record<string, unknown> }] = exact.events;
  const subject = (request.userAttributes as Record<string, string>)["custom:subject"] ?? "";
  expect([userName, subject === subject.toLowerCase()]).toEqual([`corp_${subject.toLowerCase()}`, false]);
  await using lowered = await start({ ...options, trigger: link(true) });
  stack = lowered;
  expect((await twice())?.get("error_description")).toBe(
    "Invalid ProviderName/Username combination. Please check again",
  );
});
