import { expect, test } from "@jest/globals";
import { callback, declaredPool, publicClient, secretClient } from "../declarations.ts";
import { authorizeUrl, Browser, pkce, postToken, start } from "../harness.ts";

test("signing in leads back to the client with a code and the client's state", async () => {
  await using stack = await start();
  await stack.addUser("ann@example.com");
  const { leftFor } = await new Browser(stack).signIn(authorizeUrl(stack), "ann@example.com");
  expect(`${leftFor?.origin}${leftFor?.pathname}`).toBe(callback);
  expect(leftFor?.searchParams.get("state")).toBe("the state");
  expect(leftFor?.searchParams.get("code")).toMatch(/^[\w-]{43}$/);
});

test("a state comes back as it was, whatever its characters mean elsewhere", async () => {
  await using stack = await start();
  await stack.addUser("ann@example.com");
  const state = `"'><b>&a=1#状態\r\n`;
  const { leftFor } = await new Browser(stack).signIn(authorizeUrl(stack, { state }), "ann@example.com");
  expect([...(leftFor?.searchParams.keys() ?? [])]).toEqual(["code", "state"]);
  expect(leftFor?.searchParams.get("state")).toBe(state);
});

test("a state that is JSON is refused, as Cognito does", async () => {
  await using stack = await start();
  for (const state of ['{"to":"/"}', "[1]"]) {
    expect(await new Browser(stack).open(authorizeUrl(stack, { state }))).toMatchObject({ status: 400 });
  }
});

test("a second sign-in request needs no password for an hour", async () => {
  await using stack = await start();
  await stack.addUser("ann@example.com");
  const browser = new Browser(stack);
  await browser.signIn(authorizeUrl(stack), "ann@example.com");
  const second = await browser.open(authorizeUrl(stack, { client_id: "confidential" }));
  expect(second.leftFor?.searchParams.has("code")).toBe(true);
  stack.clock.advance(3_600_000);
  const third = await browser.open(authorizeUrl(stack));
  expect(third.html).toContain("<h1>Sign in</h1>");
});

test("prompt=login always asks for the password, and prompt=none never asks", async () => {
  await using stack = await start();
  await stack.addUser("ann@example.com");
  const browser = new Browser(stack);
  const silent = await browser.open(authorizeUrl(stack, { prompt: "none" }));
  expect(Object.fromEntries(silent.leftFor?.searchParams ?? [])).toEqual({
    error: "login_required",
    state: "the state",
  });
  await browser.signIn(authorizeUrl(stack), "ann@example.com");
  expect((await browser.open(authorizeUrl(stack, { prompt: "none" }))).leftFor?.searchParams.has("code")).toBe(true);
  expect((await browser.open(authorizeUrl(stack, { prompt: "login" }))).html).toContain("<h1>Sign in</h1>");
});

test.each([
  ["an unknown client", { client_id: "nobody" }],
  ["no client", { client_id: undefined }],
  ["an unknown redirect URI", { redirect_uri: "https://evil.example.com/" }],
  ["a redirect URI with something behind it", { redirect_uri: `${callback}/more` }],
  ["another port of this machine", { redirect_uri: "http://127.0.0.1:9998/callback" }],
  ["another name of this machine", { redirect_uri: "http://localhost:9999/callback" }],
  ["no redirect URI", { redirect_uri: undefined }],
])("%s gets an error page and no redirect", async (_case, changes) => {
  await using stack = await start();
  const visit = await new Browser(stack).open(authorizeUrl(stack, changes));
  expect(visit).toMatchObject({ status: 400, url: authorizeUrl(stack, changes) });
  expect(visit.leftFor).toBeUndefined();
  expect(visit.html).toContain("An error was encountered with the requested page");
});

test.each([
  ["no response type", { response_type: undefined }, "invalid_request"],
  ["the implicit flow", { response_type: "token" }, "unauthorized_client"],
  ["a scope that the client lacks", { scope: "openid platform/control:manage" }, "invalid_request"],
  ["a scope that nobody declared", { scope: "openid nothing" }, "invalid_request"],
  ["email without openid", { scope: "email" }, "invalid_request"],
  ["a challenge without a method", { code_challenge: pkce().challenge }, "invalid_request"],
  ["a method without a challenge", { code_challenge_method: "S256" }, "invalid_request"],
  ["a plain challenge", { code_challenge: pkce().challenge, code_challenge_method: "plain" }, "invalid_request"],
  ["a prompt that does not exist", { prompt: "loudly" }, "invalid_request"],
  ["a provider that the client lacks", { identity_provider: "GitHub" }, "invalid_request"],
  ["a resource that is no URL", { resource: "api" }, "invalid_request"],
])("the problem %s is reported to the client", async (_case, changes, error) => {
  await using stack = await start();
  const { leftFor } = await new Browser(stack).open(authorizeUrl(stack, changes));
  expect(`${leftFor?.origin}${leftFor?.pathname}`).toBe(callback);
  expect(leftFor?.searchParams.get("error")).toBe(error);
  expect(leftFor?.searchParams.get("state")).toBe("the state");
});

test("a parameter that is given twice is refused, and two client ids count as an unknown client", async () => {
  await using stack = await start();
  const browser = new Browser(stack);
  const state = await browser.open(`${authorizeUrl(stack)}&state=other`);
  expect(state.leftFor?.searchParams.get("error_description")).toBe("state is given more than once");
  const client = await browser.open(`${authorizeUrl(stack)}&client_id=confidential`);
  expect(client).toMatchObject({ status: 400 });
});

test("a client that does not allow codes cannot request one", async () => {
  const client = { ...publicClient, allowedOauthFlowsUserPoolClient: false };
  await using stack = await start({ clients: [client] });
  const { leftFor } = await new Browser(stack).open(authorizeUrl(stack));
  expect(leftFor?.searchParams.get("error")).toBe("unauthorized_client");
});

test("a sign-in without a scope gets all scopes of the client", async () => {
  await using stack = await start();
  await stack.addUser("ann@example.com");
  await new Browser(stack).signIn(authorizeUrl(stack, { scope: undefined }), "ann@example.com");
  expect(stack.events.at(-1)?.request.scopes).toEqual(publicClient.allowedOauthScopes);
});

test("a redirect URI keeps its own parameters, and an app's own scheme its form", async () => {
  const callbackUrls = ["https://app.example.com/in?tenant=1", "myapp://signed-in"];
  await using stack = await start({ clients: [{ ...publicClient, callbackUrls }] });
  await stack.addUser("ann@example.com");
  const browser = new Browser(stack);
  const web = await browser.signIn(authorizeUrl(stack, { redirect_uri: callbackUrls[0] }), "ann@example.com");
  expect(web.leftFor?.href).toMatch(/^https:\/\/app\.example\.com\/in\?tenant=1&code=[\w-]{43}&state=the\+state$/);
  const app = await browser.open(authorizeUrl(stack, { redirect_uri: callbackUrls[1] }));
  expect(app.leftFor?.href).toMatch(/^myapp:\/\/signed-in\?code=/);
});

test("the trigger's refusal is passed to the client in Cognito's words", async () => {
  await using stack = await start({
    trigger: () => {
      throw new Error("No seat left");
    },
    pool: {
      ...declaredPool,
      lambdaConfig: { preTokenGenerationConfig: declaredPool.lambdaConfig.preTokenGenerationConfig },
    },
  });
  await stack.addUser("ann@example.com");
  const { leftFor } = await new Browser(stack).signIn(authorizeUrl(stack), "ann@example.com");
  expect(Object.fromEntries(leftFor?.searchParams ?? [])).toEqual({
    error: "invalid_request",
    error_description: "PreTokenGeneration failed with error No seat left.",
    state: "the state",
  });
});

test("a deleted person is not signed in by the cookie", async () => {
  await using stack = await start();
  const { username } = await stack.addUser("ann@example.com");
  const browser = new Browser(stack);
  await browser.signIn(authorizeUrl(stack), "ann@example.com");
  await stack.call("AdminDeleteUser", { UserPoolId: declaredPool.id, Username: username });
  expect((await browser.open(authorizeUrl(stack))).html).toContain("<h1>Sign in</h1>");
});

test("signing out leads to a registered address, and ends the browser's session", async () => {
  await using stack = await start();
  await stack.addUser("ann@example.com");
  const browser = new Browser(stack);
  await browser.signIn(authorizeUrl(stack), "ann@example.com");
  const cookie = browser.cookies.get("cognito") ?? "";
  const bye = publicClient.logoutUrls[0] ?? "";
  const out = await browser.open(
    `${stack.baseUrl}/logout?${new URLSearchParams({ client_id: "public", logout_uri: bye })}`,
  );
  expect(out.leftFor?.href).toBe(bye);
  expect(browser.cookies.has("cognito")).toBe(false);
  browser.cookies.set("cognito", cookie);
  expect((await browser.open(authorizeUrl(stack))).html).toContain("<h1>Sign in</h1>");
});

test("signing out can lead to the sign-in page", async () => {
  await using stack = await start();
  const url = authorizeUrl(stack).replace("/oauth2/authorize", "/logout");
  const visit = await new Browser(stack).open(url);
  expect(visit.url).toContain("/login?response_type=code");
});

test("signing out to the sign-in page keeps the parameters that AWS documents, and requests all scopes of the client if none is given", async () => {
  await using stack = await start();
  const { challenge } = pkce();
  const further = { scope: undefined, nonce: "n", code_challenge: challenge, code_challenge_method: "S256" };
  const url = authorizeUrl(stack, { ...further, identity_provider: "Google" }).replace("/oauth2/authorize", "/logout");
  const { searchParams } = new URL((await new Browser(stack).open(url)).url);
  expect(Object.fromEntries(searchParams)).toEqual({
    response_type: "code",
    client_id: "public",
    redirect_uri: callback,
    state: "the state",
    nonce: "n",
    scope: publicClient.allowedOauthScopes.join(" "),
  });
});

test.each([
  ["an unknown client", { client_id: "nobody", logout_uri: publicClient.logoutUrls[0] ?? "" }],
  ["an address that is not registered", { client_id: "public", logout_uri: "https://evil.example.com" }],
  ["a redirect URI that is not registered", { client_id: "public", redirect_uri: "https://evil.example.com" }],
])("signing out with %s is refused without a redirect", async (_case, parameters) => {
  await using stack = await start();
  const visit = await new Browser(stack).open(`${stack.baseUrl}/logout?${new URLSearchParams(parameters)}`);
  expect(visit.status).toBe(400);
  expect(visit.leftFor).toBeUndefined();
});

test("a confidential client can use PKCE as well", async () => {
  await using stack = await start();
  await stack.addUser("ann@example.com");
  const { verifier, challenge } = pkce();
  const url = authorizeUrl(stack, {
    client_id: "confidential",
    code_challenge: challenge,
    code_challenge_method: "S256",
  });
  const { leftFor } = await new Browser(stack).signIn(url, "ann@example.com");
  const tokens = await postToken(stack, {
    grant_type: "authorization_code",
    client_id: "confidential",
    client_secret: secretClient.clientSecret,
    redirect_uri: callback,
    code: leftFor?.searchParams.get("code") ?? "",
    code_verifier: verifier,
  });
  expect(tokens).toMatchObject({ status: 200, token_type: "Bearer", expires_in: 3600 });
});
