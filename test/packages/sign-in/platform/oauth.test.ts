import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { App } from "../../../../packages/sign-in/platform/discovery.ts";
import {
  type Authorization,
  authorizationRequest,
  refreshed,
  tokensForCode,
} from "../../../../packages/sign-in/platform/oauth.ts";

let server: Server;
let app: App;
type Answer = { status?: number; body: string; date?: string; next?: Answer };
/** What the token endpoint answers. */
let answer: Answer;
beforeAll(async () => {
  server = createServer((_request, response) => {
    const headers = { "content-type": "application/json", ...(answer.date && { date: answer.date }) };
    response.writeHead(answer.status ?? 200, headers).end(answer.body);
    answer = answer.next ?? answer;
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const auth_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const client = { client_id: "helper", redirect_uris: ["http://localhost:8400/callback"], scopes: ["openid"] };
  app = { issuer: "https://issuer.example", auth_url, client };
});
afterAll(() => void server.close());

function idToken(claims: object): string {
  const now = Math.floor(Date.now() / 1000);
  const usual = {
    iss: app.issuer,
    aud: "helper",
    sub: "ann",
    iat: now,
    exp: now + 3_600,
    email: "ann@acme.example",
  };
  const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  return `${encode({ alg: "RS256" })}.${encode({ ...usual, ...claims })}.c2ln`;
}

function tokens(claims: object, changes: object = {}): string {
  const usual = { access_token: "a.b.c", refresh_token: "r", expires_in: 3600, token_type: "Bearer" };
  return JSON.stringify({ ...usual, id_token: idToken(claims), ...changes });
}

describe("a code", () => {
  let authorization: Authorization;
  const exchange = (query: Record<string, string> = { code: "1", state: authorization.state }) =>
    tokensForCode(app, authorization, new URLSearchParams(query));
  beforeAll(async () => {
    authorization = await authorizationRequest(app, "http://localhost:8400/callback");
  });

  test("an authorization code is requested with S256, state and nonce, each of them new", async () => {
    const query = new URL(authorization.url).searchParams;
    expect(Object.fromEntries(query)).toMatchObject({
      response_type: "code",
      code_challenge_method: "S256",
      scope: "openid",
    });
    const next = await authorizationRequest(app, "http://localhost:8400/callback");
    for (const name of ["state", "nonce", "verifier"] as const) expect(next[name]).not.toBe(authorization[name]);
    expect(authorization.url).not.toContain(authorization.verifier);
  });

  test("an authorization code becomes tokens and the person's name", async () => {
    answer = { body: tokens({ nonce: authorization.nonce }) };
    const expected = { accessToken: "a.b.c", refreshToken: "r", expiresIn: 3600, email: "ann@acme.example" };
    expect(await exchange()).toEqual(expected);
  });

  test.each<[string, () => object]>([
    ["another nonce", () => ({ nonce: "another" })],
    ["no nonce", () => ({})],
    ["another issuer", () => ({ nonce: authorization.nonce, iss: "https://evil.example" })],
    ["another client", () => ({ nonce: authorization.nonce, aud: "other" })],
    ["its end behind it", () => ({ nonce: authorization.nonce, exp: 1 })],
  ])("whose ID token has %s becomes none", async (_what, claims) => {
    answer = { body: tokens(claims()) };
    await expect(exchange()).rejects.toThrow("the sign-in failed");
  });

  test("an authorization code with another state is refused, and a provider's refusal is shown", async () => {
    await expect(exchange({ code: "1", state: "another" })).rejects.toThrow("the sign-in failed");
    const refused = {
      error: "invalid_request",
      error_description: "The workspace is full",
      state: authorization.state,
    };
    await expect(exchange(refused)).rejects.toThrow("the sign-in failed: The workspace is full");
  });

  test("an authorization code becomes tokens even if the clock is a day wrong, by the provider's time", async () => {
    const tomorrow = Date.now() + 86_400_000;
    const exp = Math.floor(tomorrow / 1000) + 3_600;
    answer = {
      body: tokens({ nonce: authorization.nonce, iat: exp - 3_600, exp }),
      date: new Date(tomorrow).toUTCString(),
    };
    expect(await exchange()).toMatchObject({ accessToken: "a.b.c" });
    answer = { body: tokens({ nonce: authorization.nonce, exp: 1_000 }), date: new Date(0).toUTCString() };
    expect(await exchange()).toMatchObject({ accessToken: "a.b.c" });
  });

  test.each([
    ["binary", { body: "\u0000\u0001" }],
    ["a page", { body: "<html>" }],
    ["far too large", { body: JSON.stringify({ access_token: "x".repeat(600_000) }) }],
    ["a token that no client takes", { body: JSON.stringify({ access_token: "a\nb", token_type: "Bearer" }) }],
    ["a failure of its own", { status: 500, body: '{"error":"server_error"}' }],
  ])("an authorization code cannot be exchanged if the provider answers with %s", async (_what, given) => {
    answer = given;
    await expect(exchange()).rejects.toMatchObject({ exitCode: 4 });
  });
});

describe("a refresh", () => {
  test("refreshing tokens gives a new refresh token only if the provider rotates them", async () => {
    answer = { body: tokens({}, { refresh_token: undefined }) };
    expect((await refreshed(app, "r")).refreshToken).toBeUndefined();
    answer = { body: tokens({}, { refresh_token: "next" }) };
    expect((await refreshed(app, "r")).refreshToken).toBe("next");
  });

  test("refreshing tokens of an ended sign-in says that a new sign-in is needed; a temporary failure does not", async () => {
    answer = { status: 400, body: '{"error":"invalid_grant"}' };
    await expect(refreshed(app, "r")).rejects.toMatchObject({ exitCode: 3 });
    answer = { status: 400, body: '{"error":"invalid_scope"}' };
    await expect(refreshed(app, "r")).rejects.toMatchObject({ exitCode: 1 });
    answer = { status: 503, body: "" };
    await expect(refreshed(app, "r")).rejects.toMatchObject({ exitCode: 4 });
  });

  test("refreshing tokens is tried again if it is refused once", async () => {
    answer = { status: 400, body: '{"error":"invalid_grant"}', next: { body: tokens({}) } };
    expect(await refreshed(app, "r")).toMatchObject({ accessToken: "a.b.c" });
  });

  test.each(["invalid_request", "invalid_grant"])(
    "refreshing tokens can be tried again if a trigger failed, although the error is called %s",
    async (error) => {
      const error_description = "PreTokenGeneration failed with error The workspaces cannot be read right now.";
      answer = { status: 400, body: JSON.stringify({ error, error_description }) };
      await expect(refreshed(app, "r")).rejects.toMatchObject({
        exitCode: 4,
        message: "the token could not be refreshed: The workspaces cannot be read right now.",
      });
    },
  );
});
