// Registration, tokens and revocation, as an MCP client calls them.
import { beforeEach, describe, expect, test } from "@jest/globals";
import {
  authorizeQuery,
  gateway,
  OAuthWorld,
  otherGateway,
  otherTenantId,
  PersonBrowser,
  redirectUri,
  secret,
  tenantId,
  verifier,
} from "../../support/mcp/oauth-world.ts";

const hour = 3_600_000;

let world: OAuthWorld;
beforeEach(() => {
  world = new OAuthWorld();
});

const read = ({ statusCode, body }: { statusCode: number; body: string }) => ({ statusCode, body: JSON.parse(body) });

describe("registration", () => {
  const register = async (metadata: object) =>
    read(await world.ask("POST", "/register", { body: JSON.stringify(metadata) }));

  test("a client registers without a secret and without a row, with up to eight addresses", async () => {
    const redirect_uris = Array.from({ length: 8 }, (_, place) => `http://127.0.0.1:${place + 1}/callback`);
    const asked = { redirect_uris, client_name: "A\u202e client", token_endpoint_auth_method: "client_secret_post" };
    const { statusCode, body } = await register(asked);
    expect([statusCode, body]).toEqual([
      201,
      expect.objectContaining({ redirect_uris, client_name: "A client", token_endpoint_auth_method: "none" }),
    ]);
    expect(body).not.toHaveProperty("client_secret");
    expect(body.client_id).not.toContain("127.0.0.1");
  });

  test.each([
    ["nine addresses", Array.from({ length: 9 }, (_, place) => `http://localhost:${place + 1}/`)],
    ["no address", []],
    ["javascript", ["javascript:alert(1)"]],
    ["javascript with a host", ["javascript://localhost/%0aalert(1)"]],
    ["data", ["data:text/html,x"]],
    ["a file", ["file:///etc/passwd"]],
    ["plain http elsewhere", ["http://evil.example/cb"]],
    ["a scheme that nobody listed", ["evil://cb"]],
    ["a user name", ["https://claude.ai@evil.example/cb"]],
    ["an empty user name", ["https://@evil.example/cb"]],
    ["a fragment", ["https://app.example/cb#x"]],
    ["an empty fragment", ["https://app.example/cb#"]],
    ["a backslash", ["https://app.example\\@evil.example/"]],
    ["a line break", ["https://app.example/\ncb"]],
    ["one slash", ["https:/evil.example/cb"]],
    ["no text", [7]],
    ["a good and a bad address", ["http://localhost/", "javascript:alert(1)"]],
  ])("a registration with %s is refused by its name", async (_, redirect_uris) => {
    const { statusCode, body } = await register({ redirect_uris });
    expect([statusCode, body.error]).toEqual([400, "invalid_redirect_uri"]);
  });

  test.each(["no json", "[]", "null"])("the body %s is no registration", async (body) => {
    expect(read(await world.ask("POST", "/register", { body })).statusCode).toBe(400);
  });

  test("the addresses of Cursor and VS Code are taken, each in one registration", async () => {
    const cursor = [
      "http://localhost:8787/callback",
      "https://www.cursor.com/agents/mcp/oauth/callback",
      "cursor://anysphere.cursor-mcp/oauth/callback",
    ];
    const code = [
      "http://127.0.0.1:33418/",
      "http://127.0.0.1/",
      "https://vscode.dev/redirect",
      "https://insiders.vscode.dev/redirect",
    ];
    for (const redirect_uris of [cursor, code]) expect((await register({ redirect_uris })).statusCode).toBe(201);
  });
});

/** Signs somebody in by a client, up to the form for its code. */
async function codeForm(clientId: string, changes: Record<string, string | undefined> = {}) {
  const back = await new PersonBrowser(world).agree(authorizeQuery({ client_id: clientId, ...changes }));
  const code = back.searchParams.get("code") ?? "";
  return {
    grant_type: "authorization_code",
    code,
    redirect_uri: redirectUri,
    client_id: clientId,
    code_verifier: verifier,
  };
}

describe("a code", () => {
  let clientId: string;
  beforeEach(async () => {
    clientId = await world.register();
  });

  test("a code gives the pool's access token, and a refresh token that shows nothing of the pool's", async () => {
    const { statusCode, body } = read(await world.token(await codeForm(clientId)));
    expect([statusCode, body]).toEqual([
      200,
      {
        access_token: expect.any(String),
        token_type: "Bearer",
        expires_in: 900,
        refresh_token: expect.any(String),
        scope: "platform/mcp:connect",
      },
    ]);
    expect(body.refresh_token).not.toContain("pool");
    expect(world.families.size).toBe(0);
  });

  test("a code works once", async () => {
    const form = await codeForm(clientId);
    await world.token(form);
    expect(read(await world.token(form))).toMatchObject({ statusCode: 400, body: { error: "invalid_grant" } });
  });

  test.each([
    [
      "another client",
      async () => ({ client_id: await world.register({ redirect_uris: [redirectUri], client_name: "Other" }) }),
      "invalid_grant",
    ],
    ["another address", async () => ({ redirect_uri: redirectUri.replace("3334", "3335") }), "invalid_grant"],
    ["another verifier", async () => ({ code_verifier: "w".repeat(43) }), "invalid_grant"],
    ["no verifier", async () => ({ code_verifier: "" }), "invalid_grant"],
    ["another gateway", async () => ({ resource: otherGateway.endpoint }), "invalid_target"],
    ["the pool's own code", async () => ({ code: "4f1c8a80-0000-4000-8000-000000000000" }), "invalid_grant"],
    ["an unknown grant", async () => ({ grant_type: "password" }), "unsupported_grant_type"],
  ])("a code with %s gives no token, and is good for its own client still", async (_, change, error) => {
    const form = await codeForm(clientId);
    expect(read(await world.token({ ...form, ...(await change()) }))).toMatchObject({
      statusCode: 400,
      body: { error },
    });
    expect(world.asked).toEqual([]);
    expect((await world.token(form)).statusCode).toBe(200);
  });

  test("a code is over after five minutes", async () => {
    const form = await codeForm(clientId);
    world.now += 301_000;
    expect(read(await world.token(form)).body.error).toBe("invalid_grant");
  });

  test("the gateway's address is taken with the code, as MCP clients send it", async () => {
    expect((await world.token({ ...(await codeForm(clientId)), resource: gateway.endpoint })).statusCode).toBe(200);
  });

  test("a parameter that is given twice is refused", async () => {
    const form = new URLSearchParams(await codeForm(clientId));
    form.append("resource", gateway.endpoint);
    form.append("resource", otherGateway.endpoint);
    expect(read(await world.ask("POST", "/token", { body: String(form) })).body.error).toBe("invalid_request");
  });

  test.each([
    ["no member of any workspace", undefined],
    ["a member of another workspace alone", otherTenantId],
  ])("a person who is %s gets no token, and is told whom to ask", async (_, memberOf) => {
    world.memberOf = memberOf;
    const { statusCode, body } = read(await world.token(await codeForm(clientId)));
    expect([statusCode, body]).toEqual([
      400,
      { error: "access_denied", error_description: expect.stringContaining("ask its owner for an invitation") },
    ]);
  });

  test("a client whose registration cannot be read any more hears that it has to register again", async () => {
    const form = await codeForm(clientId);
    world.keys = ["b".repeat(64)];
    expect(read(await world.token(form))).toMatchObject({ statusCode: 401, body: { error: "invalid_client" } });
  });

  test("a form without a client is refused", async () => {
    const { client_id: _, ...form } = await codeForm(clientId);
    expect(read(await world.token(form))).toMatchObject({ statusCode: 401, body: { error: "invalid_client" } });
  });

  test.each([
    ["does not answer", new Error("timed out")],
    ["fails", { status: 502, body: "<html>" }],
  ])("a pool that %s is a temporary error, which is logged without the form", async (_, failure) => {
    const form = await codeForm(clientId);
    world.poolFails = failure;
    expect(read(await world.token(form))).toMatchObject({
      statusCode: 503,
      body: { error: "temporarily_unavailable" },
    });
    expect(world.problems).toEqual(["The user pool or the store does not answer"]);
  });

  test("a form of 300 KB is refused without a call to the pool", async () => {
    const form = { ...(await codeForm(clientId)), more: "x".repeat(300_000) };
    expect(read(await world.token(form)).statusCode).toBe(413);
    expect(world.asked).toEqual([]);
  });
});

describe("a gateway's fixed id with its secret", () => {
  const basic = (id: string, text: string) => ({
    authorization: `Basic ${Buffer.from(`${id}:${text}`).toString("base64")}`,
  });
  const fixedForm = async () => {
    const { client_id: _, ...form } = await codeForm(gateway.fixed, { resource: undefined });
    return form;
  };

  test("the secret is taken from the form and from the header, and the pool checks it", async () => {
    const inForm = { ...(await fixedForm()), client_id: gateway.fixed, client_secret: secret };
    expect((await world.token(inForm)).statusCode).toBe(200);
    expect((await world.token(await fixedForm(), basic(gateway.fixed, secret))).statusCode).toBe(200);
    expect(world.asked.map(({ client }) => client)).toEqual(Array(2).fill({ clientId: gateway.fixed, secret }));
  });

  test("no secret, a wrong one, and two ids are refused as 401", async () => {
    const form = await fixedForm();
    const asked = [
      world.token({ ...form, client_id: gateway.fixed }),
      world.token(form, basic(gateway.fixed, "wrong")),
      world.token({ ...form, client_id: gateway.public }, basic(gateway.fixed, secret)),
    ];
    for (const answer of await Promise.all(asked)) {
      expect(read(answer)).toMatchObject({ statusCode: 401, body: { error: "invalid_client" } });
    }
  });

  test("a refresh needs the secret too", async () => {
    const granted = read(
      await world.token({ ...(await fixedForm()), client_id: gateway.fixed, client_secret: secret }),
    );
    const form = { grant_type: "refresh_token", refresh_token: granted.body.refresh_token, client_id: gateway.fixed };
    expect((await world.token({ ...form, client_secret: secret })).statusCode).toBe(200);
    expect((await world.token(form)).statusCode).toBe(401);
  });
});

describe("refresh tokens", () => {
  let clientId: string;
  let first: string;
  beforeEach(async () => {
    clientId = await world.register();
    first = read(await world.token(await codeForm(clientId))).body.refresh_token;
  });

  const refresh = async (token: string, changes: Record<string, string> = {}) =>
    read(await world.token({ grant_type: "refresh_token", refresh_token: token, client_id: clientId, ...changes }));
  const refreshed = async (token: string): Promise<string> => (await refresh(token)).body.refresh_token;

  test("a refresh token gives another access token, with and without the gateway's address", async () => {
    expect(await refresh(first)).toMatchObject({ statusCode: 200, body: { expires_in: 900 } });
    expect((await refresh(first, { resource: gateway.endpoint })).statusCode).toBe(200);
  });

  test.each([
    [
      "another client",
      async () => ({ client_id: await world.register({ redirect_uris: ["https://evil.example/"] }) }),
      "invalid_grant",
    ],
    ["the gateway's public client", async () => ({ client_id: gateway.public }), "invalid_grant"],
    ["another gateway", async () => ({ resource: otherGateway.endpoint }), "invalid_target"],
  ])("a refresh token of %s is refused", async (_, change, error) => {
    expect(await refresh(first, await change())).toMatchObject({ statusCode: 400, body: { error } });
  });

  test("a member who was removed is refused in words", async () => {
    world.memberOf = undefined;
    expect(await refresh(first)).toMatchObject({ statusCode: 400, body: { error: "access_denied" } });
  });

  test("a refresh writes nothing within the hour, and a row once a generation is replaced", async () => {
    for (let minute = 0; minute < 60; minute += 15) {
      expect((await refresh(first)).statusCode).toBe(200);
      world.now += hour / 4;
    }
    expect(world.families.size).toBe(0);
    await refresh(first);
    expect([...world.families.values()]).toEqual([expect.objectContaining({ tenant_id: tenantId, generation: 2 })]);
    expect(JSON.stringify([...world.families.values()])).not.toContain("pool-");
  });

  test("the generation before catches up, however long it slept, until the newest is replaced in turn", async () => {
    world.now += hour;
    const second = await refreshed(first);
    world.now += 20 * hour;
    const caughtUp = await refreshed(first);
    world.now += 1;
    const third = await refreshed(second);
    expect((await refresh(first)).statusCode).toBe(400);
    for (const copy of [second, caughtUp, third]) expect((await refresh(copy)).statusCode).toBe(200);
  });

  test("eight programs that share one token, each with its own copy, go on for a day", async () => {
    const copies = Array<string>(8).fill(first);
    for (let round = 0; round < 24 * 4; round++) {
      world.now += hour / 4;
      // They refresh in turn, and every fourth time none but two of them does.
      for (const place of copies.keys()) {
        if (round % 4 === 3 && place > 1) continue;
        const { statusCode, body } = await refresh(copies[place] ?? "");
        expect(statusCode).toBe(200);
        copies[place] = body.refresh_token;
      }
    }
    expect([...world.families.values()]).toEqual([expect.objectContaining({ generation: 25 })]);
    expect(world.entries).toEqual([]);
  });

  test("eight programs that refresh at once leave one new generation", async () => {
    world.now += hour;
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(first)));
    expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
    expect([...world.families.values()]).toEqual([expect.objectContaining({ generation: 2 })]);
  });

  test("an older copy is refused alone and noticed once, and its siblings keep their sign-in", async () => {
    let newest = first;
    for (let generation = 1; generation < 4; generation++) {
      world.now += hour;
      newest = await refreshed(newest);
    }
    const before = world.asked.length;
    for (let attempt = 0; attempt < 2; attempt++) {
      expect(await refresh(first)).toMatchObject({ statusCode: 400, body: { error: "invalid_grant" } });
    }
    expect(world.asked).toHaveLength(before);
    expect(world.entries).toEqual([
      expect.objectContaining({ action: "connector.stale_token", tenant_id: tenantId, actor: "ann", target: "ann" }),
    ]);
    expect((await refresh(newest)).statusCode).toBe(200);
  });

  test("a sign-in ends after 30 days, however often its token is replaced", async () => {
    let newest = first;
    for (let day = 0; day < 29; day++) {
      world.now += 24 * hour;
      newest = await refreshed(newest);
    }
    world.now += 24 * hour + 1_000;
    expect(await refresh(newest)).toMatchObject({ statusCode: 400, body: { error: "invalid_grant" } });
  });

  test("a new sealing key signs nobody out while the one before counts, and replaces it with the next refresh", async () => {
    const [old = ""] = world.keys;
    world.keys = ["n".repeat(64), old];
    const resealed = await refreshed(first);
    expect((await refresh(first)).statusCode).toBe(200);
    world.keys = ["n".repeat(64)];
    clientId = gateway.public;
    expect((await refresh(resealed)).body.error_description).toContain("another client");
    expect((await refresh(first)).body.error_description).toContain("none of this server's");
  });

  test("a revoked refresh token gives no more tokens, and whoever else asks revokes nothing", async () => {
    const revoke = async (client_id: string, token: string) =>
      (await world.ask("POST", "/revoke", { body: String(new URLSearchParams({ client_id, token })) })).statusCode;
    expect(await revoke(gateway.public, first)).toBe(200);
    expect((await refresh(first)).statusCode).toBe(200);
    expect([await revoke(clientId, "unknown"), await revoke(clientId, first)]).toEqual([200, 200]);
    expect(await refresh(first)).toMatchObject({ statusCode: 400, body: { error: "invalid_grant" } });
  });
});

test("unknown paths and methods are refused", async () => {
  expect((await world.ask("GET", "/token")).statusCode).toBe(405);
  expect((await world.ask("GET", "/constructor")).statusCode).toBe(404);
});
