// The pages of a sign-in at an MCP gateway. The tests named after advisories play what went wrong in other proxies of this kind.
import { beforeEach, describe, expect, test } from "@jest/globals";
import {
  authorizeQuery,
  gateway,
  OAuthWorld,
  origin,
  otherGateway,
  PersonBrowser,
  redirectUri,
  signIn,
  tenantId,
} from "../../support/mcp/oauth-world.ts";

let world: OAuthWorld;
let browser: PersonBrowser;
let clientId: string;
beforeEach(async () => {
  world = new OAuthWorld();
  browser = new PersonBrowser(world);
  clientId = await world.register({ redirect_uris: [redirectUri], client_name: "A <b>client</b>" });
});

const authorize = (changes: Record<string, string | undefined> = {}) =>
  browser.open("/authorize", authorizeQuery({ client_id: clientId, ...changes }));

describe("the consent page", () => {
  test("the consent page names the client as unproven, the workspace and the address that gets the answer, escaped", async () => {
    const page = await authorize();
    expect(page.statusCode).toBe(200);
    expect(page.body).toContain("calls itself “A bclientb”");
    expect(page.body).toContain("Acme &lt;Tools&gt;");
    expect(page.body).toContain("localhost:3334");
    expect(page.body).toContain("a program on this computer");
  });

  test("the consent page is in no frame and no cache, runs no script, and sends no address on", async () => {
    const { headers } = await authorize();
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "content-security-policy": expect.stringMatching(/default-src 'none'.*frame-ancestors 'none'/),
    });
  });

  test("the browser's cookie is bound to this host, out of reach of scripts, and not sent with forms of other sites", async () => {
    const { cookies } = await authorize();
    expect(cookies).toEqual([
      expect.stringMatching(/^__Host-\w+=[\w-]{43}; Path=\/; Max-Age=\d+; Secure; HttpOnly; SameSite=Lax$/),
    ]);
  });

  test("a person who agrees is led to the user pool with the gateway's own client, our challenge and the one scope", async () => {
    const { statusCode, headers } = await browser.decide(await authorize({ scope: "openid everything" }), "allow");
    const address = new URL(headers.location ?? "");
    expect([statusCode, address.origin + address.pathname]).toEqual([303, `${signIn}/oauth2/authorize`]);
    const { state, code_challenge, ...others } = Object.fromEntries(address.searchParams);
    expect(others).toEqual({
      response_type: "code",
      client_id: gateway.public,
      redirect_uri: `${origin}/callback`,
      scope: "platform/mcp:connect",
      code_challenge_method: "S256",
    });
    expect(code_challenge).not.toBe(authorizeQuery({}).code_challenge);
    expect(state).not.toContain("localhost");
  });

  test("a person who does not agree is sent back with the reason, the client's state and the issuer", async () => {
    const { headers } = await browser.decide(await authorize(), "deny");
    const back = new URL(headers.location ?? "");
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error: "access_denied", state: "a+b=", iss: origin });
  });

  test("a person is asked at each sign-in, however often the same client was allowed (GHSA-6x8h-498w-gv8c)", async () => {
    await browser.agree(authorizeQuery({ client_id: clientId }));
    const again = await authorize();
    expect([again.statusCode, again.headers.location]).toEqual([200, undefined]);
  });
});

describe("a sign-in belongs to the browser in which it began", () => {
  test("a consent that another browser's page was made for is refused (GHSA-rww4-4w9c-7733)", async () => {
    const attackersPage = await new PersonBrowser(world).open("/authorize", authorizeQuery({ client_id: clientId }));
    await authorize();
    const answer = await browser.decide(attackersPage, "allow");
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
  });

  test("a link to the user pool of somebody who has agreed elsewhere binds nothing (CVE-2026-27124)", async () => {
    const attacker = new PersonBrowser(world);
    const page = await attacker.open("/authorize", authorizeQuery({ client_id: clientId }));
    const toPool = await attacker.decide(page, "allow");
    await authorize();
    const answer = await browser.open("/callback", world.signInAt(toPool.headers.location ?? ""));
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
    expect(answer.body).toContain("another browser");
  });

  test("a browser without cookies gets no further", async () => {
    const page = await authorize();
    browser.cookies = [];
    expect((await browser.decide(page, "allow")).statusCode).toBe(400);
  });

  test("a consent that another site sends is refused, even with the browser's cookie (fastmcp#3519)", async () => {
    const page = await authorize();
    const answer = await browser.decide(page, "allow", { "sec-fetch-site": "cross-site" });
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
  });

  test("a forged consent is refused (fastmcp#3519)", async () => {
    await authorize();
    const forged = { ...(await authorize()), body: '<input name="request" value="eyJhbGciOiJub25lIn0..e30.">' };
    expect((await browser.decide(forged, "allow")).statusCode).toBe(400);
  });

  test("a sealed state is no consent, and a sealed consent is no state", async () => {
    const page = await authorize();
    const toPool = await browser.decide(page, "allow");
    const state = new URL(toPool.headers.location ?? "").searchParams.get("state") ?? "";
    const stateAsConsent = { ...page, body: `<input name="request" value="${state}">` };
    expect((await browser.decide(stateAsConsent, "allow")).statusCode).toBe(400);
    const [, consent = ""] = /name="request" value="([^"]*)"/.exec(page.body) ?? [];
    expect((await browser.open("/callback", { code: "c", state: consent })).statusCode).toBe(400);
  });

  test("sign-ins in two tabs both end well, and the browser keeps one cookie (fastmcp#3747)", async () => {
    const first = await authorize({ state: "one" });
    const second = await authorize({ state: "two" });
    for (const [page, state] of [
      [second, "two"],
      [first, "one"],
    ] as const) {
      const toPool = await browser.decide(page, "allow");
      const back = await browser.open("/callback", world.signInAt(toPool.headers.location ?? ""));
      expect(new URL(back.headers.location ?? "").searchParams.get("state")).toBe(state);
    }
    expect(browser.cookies).toHaveLength(1);
  });

  test("a consent page counts for an hour", async () => {
    const page = await authorize();
    world.now += 3_601_000;
    expect((await browser.decide(page, "allow")).statusCode).toBe(400);
  });
});

describe("a client or an address that is not known gets no redirect", () => {
  test.each([
    ["an unknown fixed id", { client_id: "nobody" }],
    ["a registration of another stack", { client_id: "eyJhbGciOiJkaXIifQ..a.b.c" }],
    ["no client id", { client_id: undefined }],
    ["another address", { redirect_uri: "https://evil.example/cb" }],
    ["a longer path", { redirect_uri: `${redirectUri}/more` }],
    ["another scheme", { redirect_uri: redirectUri.replace("http:", "https:") }],
    [
      "an address that only begins like the registered one",
      { redirect_uri: "http://localhost:3334@evil.example/oauth/callback" },
    ],
    ["another host of this machine", { redirect_uri: redirectUri.replace("localhost", "127.0.0.1") }],
    ["no address", { redirect_uri: undefined }],
    ["neither a gateway nor a fixed id", { resource: undefined }],
    ["the origin alone", { resource: origin }],
  ])("a request with %s is answered with a page", async (_, changes) => {
    const answer = await authorize(changes as Record<string, string | undefined>);
    expect([answer.statusCode, answer.headers.location]).toEqual([400, undefined]);
    expect(answer.headers["content-type"]).toContain("text/html");
  });

  test("a request that names its address twice is answered with a page", async () => {
    const query = new URLSearchParams({ client_id: clientId, redirect_uri: redirectUri });
    const twice = `${query}&redirect_uri=${encodeURIComponent("https://evil.example")}`;
    expect((await browser.open("/authorize", twice)).statusCode).toBe(400);
  });
});

describe("what is wrong with the request of a known client is told the client, with the issuer", () => {
  test.each([
    ["no challenge", { code_challenge: undefined }, "invalid_request"],
    ["a challenge that no SHA-256 has", { code_challenge: "x" }, "invalid_request"],
    ["the method plain", { code_challenge_method: "plain" }, "invalid_request"],
    ["no method", { code_challenge_method: undefined }, "invalid_request"],
    ["another response type", { response_type: "token" }, "unsupported_response_type"],
    ["an answer in the fragment", { response_mode: "fragment" }, "invalid_request"],
    ["a request by reference", { request_uri: "https://evil.example" }, "request_uri_not_supported"],
    ["the wish that nobody is asked", { prompt: "none" }, "consent_required"],
    ["an unknown gateway", { resource: `${origin}/${gateway.address.replace("ac-", "ff-")}/mcp` }, "invalid_target"],
    ["a gateway of another origin", { resource: `https://evil.example/${gateway.address}/mcp` }, "invalid_target"],
    ["a state of 3,000 characters", { state: "s".repeat(3_000) }, "invalid_request"],
  ])("a request with %s is sent back", async (_, changes, error) => {
    const { statusCode, headers } = await authorize(changes as Record<string, string | undefined>);
    const back = new URL(headers.location ?? "");
    expect([statusCode, back.origin + back.pathname]).toEqual([303, redirectUri]);
    expect(Object.fromEntries(back.searchParams)).toMatchObject({ error, iss: origin });
  });

  test("a sign-in at a workspace that is suspended is sent back", async () => {
    world.tenantStatus = "suspended";
    const { headers } = await authorize();
    expect(new URL(headers.location ?? "").searchParams.get("error")).toBe("access_denied");
  });

  test("an error of the user pool reaches the client, with the issuer and without control characters", async () => {
    const toPool = await browser.decide(await authorize(), "allow");
    const state = new URL(toPool.headers.location ?? "").searchParams.get("state") ?? "";
    const answered = { state, error: "invalid_request", error_description: "You\r\nshall not" };
    const { headers } = await browser.open("/callback", answered);
    expect(Object.fromEntries(new URL(headers.location ?? "").searchParams)).toEqual({
      error: "invalid_request",
      error_description: "You  shall not",
      state: "a+b=",
      iss: origin,
    });
  });
});

describe("a gateway's fixed client ids", () => {
  const fixed = (changes: Record<string, string | undefined>) =>
    authorize({ client_id: gateway.fixed, resource: undefined, ...changes });

  test.each([
    "http://localhost:8420/callback",
    "http://127.0.0.1:8420/callback/p5X8kLCxwH9j",
    "http://[::1]:1/",
    "https://claude.ai/api/mcp/auth_callback",
    "https://vscode.dev/redirect",
    "cursor://anysphere.cursor-mcp/oauth/callback",
    "https://chatgpt.com/connector_platform_oauth_redirect",
  ])("a fixed id serves a program at %s, without a list of the operator", async (redirect_uri) => {
    expect((await fixed({ redirect_uri })).statusCode).toBe(200);
  });

  test.each([
    "https://evil.example/cb",
    "https://claude.ai/api/mcp/auth_callback/",
    "https://claude.ai.evil.example/api/mcp/auth_callback",
    "javascript://localhost/%0aalert(1)",
    "http://localhost.evil.example/",
    "http://127.0.0.1.evil.example/",
    "http://localhost@evil.example/",
  ])("a fixed id does not serve %s", async (redirect_uri) => {
    const { statusCode, headers } = await fixed({ redirect_uri });
    expect([statusCode, headers.location]).toEqual([400, undefined]);
  });

  test("a fixed id serves the addresses that the gateway's owner has named, at this gateway alone", async () => {
    const own = "https://chat.acme.example/mcp/callback";
    world.ownRedirects.set(tenantId, [own]);
    expect((await fixed({ redirect_uri: own })).statusCode).toBe(200);
    expect((await fixed({ redirect_uri: own, client_id: otherGateway.fixed })).statusCode).toBe(400);
  });

  test("a fixed id with another gateway's address is refused", async () => {
    const { headers } = await fixed({ resource: otherGateway.endpoint });
    expect(new URL(headers.location ?? "").searchParams.get("error")).toBe("invalid_target");
  });

  test("a fixed id leads to the user pool as itself, so that the pool checks its secret", async () => {
    const { headers } = await browser.decide(await fixed({}), "allow");
    expect(new URL(headers.location ?? "").searchParams.get("client_id")).toBe(gateway.fixed);
  });
});

describe("a client with a metadata document", () => {
  const address = "https://app.example/oauth/client.json";
  const document = (changes: object = {}) => {
    const text = JSON.stringify({
      client_id: address,
      client_name: "App",
      redirect_uris: ["http://localhost/callback"],
      ...changes,
    });
    world.documents.set(address, { text, freshSeconds: 600 });
  };
  const asked = (changes: Record<string, string | undefined> = {}) =>
    authorize({ client_id: address, redirect_uri: "http://localhost:5123/callback", ...changes });

  test("the consent page names the document's host as proof, and any port of this machine serves", async () => {
    document();
    expect((await asked()).body).toContain("App, an application of app.example,");
  });

  test("a document is fetched again only once its server's time for it is over, and then counts as it is", async () => {
    document();
    await asked();
    document({ redirect_uris: ["https://moved.example/cb"] });
    expect((await asked()).statusCode).toBe(200);
    expect(world.fetched).toHaveLength(1);
    world.now += 600_000;
    expect((await asked()).statusCode).toBe(400);
    expect(world.fetched).toHaveLength(2);
  });

  test.each([
    ["names another client", { client_id: "https://app.example/other.json" }],
    ["names only addresses that nobody is sent to", { redirect_uris: ["javascript:alert(1)", "http://evil.example/"] }],
    ["holds a secret", { client_secret: "s" }],
    ["wants its client to authenticate", { token_endpoint_auth_method: "private_key_jwt" }],
    ["does not ask for codes", { grant_types: ["client_credentials"] }],
  ])("a document that %s is refused on a page", async (_, changes) => {
    document(changes);
    const { statusCode, headers } = await asked();
    expect([statusCode, headers.location]).toEqual([400, undefined]);
  });

  test("a document that lists `none` beside a stronger method is taken, as ChatGPT's is", async () => {
    document({ token_endpoint_auth_method: "private_key_jwt", token_endpoint_auth_methods_supported: ["none"] });
    expect((await asked()).statusCode).toBe(200);
  });

  test("a known vendor whose server refuses is taken by the copy that was read, and nobody else is", async () => {
    const claudeCode = "https://claude.ai/oauth/claude-code-client-metadata";
    expect((await asked({ client_id: claudeCode })).body).toContain("Claude Code, an application of claude.ai,");
    expect((await asked()).statusCode).toBe(400);
  });

  test.each([
    "https://app.example",
    "https://app.example:8443/client.json",
    "https://app.example/a/../client.json",
    "https://user@app.example/client.json",
    "https://app.example/client.json#x",
    "https://127.0.0.1/client.json",
    "https://localhost/client.json",
    "HTTPS://app.example/client.json",
  ])("%s is fetched by nobody", async (client_id) => {
    expect((await asked({ client_id })).statusCode).toBe(400);
    expect(world.fetched).toEqual([]);
  });
});
