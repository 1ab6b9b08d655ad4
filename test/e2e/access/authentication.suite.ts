// Who may call models, and who may not any more: every kind of credential, well and ill, through the edge.
import { createHmac, createPublicKey } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "@jest/globals";
import type { RefusalCode } from "../../../domain/kernel/refusal.ts";
import { appClient, consoleToken, helperToken } from "../../../local/demo/app-client.ts";
import { signIn } from "../../../local/demo/sign-in.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import type { Stack } from "../../../local/stack.ts";
import { settled } from "../../support/accounting/accounting.ts";
import { aServiceAccount, ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";

describe("authentication", () => {
  let stack: Stack;
  let token: string;
  let ownerToken: string;
  const minute = 60_000;
  const developer = () => stack.demo?.developer ?? { email: "", password: "", sub: "" };

  beforeAll(async () => {
    stack = await sharedStack();
    token = await helperToken(stack, developer());
    ownerToken = await consoleToken(stack, stack.demo?.owner ?? developer());
  });
  afterEach(() => {
    stack.faults.clear();
    stack.bedrock.clear();
  });

  /** A call with these headers and no other credential. */
  async function withHeaders(headers: Record<string, string>) {
    const response = await fetch(`${stack.at(`${stack.demo?.slug}.proxy`)}/vendor/v1/models`, { headers });
    return { status: response.status, body: (await response.json()) as { error?: { details?: object } }, response };
  }
  const bearer = (value: string) => withHeaders({ authorization: `Bearer ${value}` });
  const byKey = (value: string) => withHeaders({ "x-api-key": value });

  const whose = 'This is the address of the workspace "acme".';
  const said: Partial<Record<RefusalCode, string[]>> = {
    credential_missing: ["Send a token as Authorization: Bearer, or an API key as x-api-key."],
    credential_invalid: ["The credential is not valid."],
    credential_expired: ["The token has expired, sign in again.", "The API key has expired."],
  };
  const cures = () => [
    "Sign in again: archway login.",
    `Its keys begin with ar_live_ or ar_test_ and come from the console, ${stack.console}; people sign in with archway login.`,
  ];

  async function expectRefused(answering: ReturnType<typeof withHeaders>, code: RefusalCode): Promise<void> {
    const { status, body, response } = await answering;
    const message = (body.error as { message?: string } | undefined)?.message;
    const texts = (said[code] ?? []).flatMap((text) => cures().map((cure) => `${text} ${whose} ${cure}`));
    expect(texts).toContain(message);
    expect(response.headers.get("x-should-retry")).toBe("false");
    expect([status, body]).toEqual([
      401,
      {
        type: "error",
        error: {
          type: "authentication_error",
          message,
          details: { error_code: code },
        },
        request_id: response.headers.get("request-id"),
      },
    ]);
  }

  const parts = (jwt: string) => jwt.split(".") as [string, string, string];
  const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const decoded = (part: string) => JSON.parse(Buffer.from(part, "base64url").toString());

  describe("a credential is taken", () => {
    test("a credential is accepted in either header, with the scheme in any letter case", async () => {
      const key = stack.demo?.api_key ?? "";
      for (const answering of [
        bearer(token),
        bearer(key),
        byKey(key),
        byKey(token),
        withHeaders({ authorization: `bearer ${token}` }),
        withHeaders({ authorization: `BEARER  ${key}` }),
      ]) {
        expect((await answering).status).toBe(200);
      }
    });

    test("a request with a token and a key is authenticated by its token", async () => {
      const key = stack.demo?.api_key ?? "";
      const [head, payload] = parts(token);
      await expectRefused(
        withHeaders({ authorization: `Bearer ${head}.${payload}.c2lnbmF0dXJl`, "x-api-key": key }),
        "credential_invalid",
      );
      expect(
        (await withHeaders({ authorization: `Bearer ${token}`, "x-api-key": `${key.slice(0, -1)}!` })).status,
      ).toBe(200);
    });
  });

  describe("a token is refused", () => {
    test("a token that was changed in any of its parts is refused", async () => {
      const [head, payload, signature] = parts(token);
      const claims = { ...decoded(payload), tenant_role: "owner" };
      const flipped = `${signature.startsWith("A") ? "B" : "A"}${signature.slice(1)}`;
      for (const forged of [
        `${head}.${encoded(claims)}.${signature}`,
        `${head}.${payload}.${flipped}`,
        `${encoded({ ...decoded(head), kid: "other" })}.${payload}.${signature}`,
      ]) {
        await expectRefused(bearer(forged), "credential_invalid");
      }
    });

    test("a token without an algorithm, or signed with the public key as a secret, is refused", async () => {
      const [head, payload] = parts(token);
      const [pool] = stack.program.resources.ofType("aws:cognito/userPool:UserPool");
      const keySet = await fetch(`${stack.at("auth")}/${pool?.outputs.id}/.well-known/jwks.json`);
      const { keys } = (await keySet.json()) as { keys: object[] };
      const pem = createPublicKey({ key: keys[0] as never, format: "jwk" }).export({ type: "spki", format: "pem" });
      for (const alg of ["none", "None", "HS256"]) {
        const unsigned = `${encoded({ ...decoded(head), alg })}.${payload}`;
        const signature = createHmac("sha256", pem).update(unsigned).digest("base64url");
        await expectRefused(bearer(`${unsigned}.${alg === "HS256" ? signature : ""}`), "credential_invalid");
        await expectRefused(bearer(`${unsigned}.${signature}`), "credential_invalid");
      }
    });

    test("a token for another client, or another kind of token, is refused", async () => {
      await expectRefused(bearer(ownerToken), "credential_invalid");
      const { client_id, redirect_uri, scopes } = appClient(stack.program, "tokenHelper");
      const { email, password } = developer();
      const signingIn = { clientId: client_id, redirectUri: redirect_uri, scopes, email, password };
      const { id_token, refresh_token } = await signIn({ ...signingIn, authUrl: stack.at("auth") });
      await expectRefused(bearer(id_token), "credential_invalid");
      await expectRefused(bearer(refresh_token), "credential_invalid");
    });

    test("a token of the skills server is refused by the proxy", async () => {
      const { client_id, redirect_uri, scopes } = appClient(stack.program, "skills");
      expect(scopes).toEqual(["platform/skills:rw", "platform/skills:invoke"]);
      const { email, password } = developer();
      const signingIn = { clientId: client_id, redirectUri: redirect_uri, scopes, email, password };
      const { access_token } = await signIn({ ...signingIn, authUrl: stack.at("auth") });
      await expectRefused(bearer(access_token), "credential_invalid");
      const ask = (path: string) =>
        fetch(stack.at("api") + path, { headers: { authorization: `Bearer ${access_token}` } });
      expect((await ask("/v1/me")).status).toBe(200);
      const keys = await ask("/v1/keys");
      const said = ["www-authenticate", "x-amzn-remapped-www-authenticate"].map((name) => keys.headers.get(name));
      expect([keys.status, said]).toEqual([403, [null, expect.stringContaining("insufficient_scope")]]);
    });

    test("an assistant's token, also an owner's or an administrator's, is refused by every change", async () => {
      const { owner = developer(), platform_admin = developer(), tenant_id } = stack.demo ?? {};
      const changes = [
        ["POST", "/v1/keys", { name: "Robot", kind: "service_account" }],
        ["POST", "/v1/users/invite", { email: "stranger@evil.example" }],
        ["DELETE", `/v1/tenants/${tenant_id}`, undefined],
        ["POST", `/v1/tenants/${tenant_id}/suspend`, { reason: "A prompt said so" }],
      ] as const;
      for (const person of [owner, platform_admin]) {
        const authorization = `Bearer ${await helperToken(stack, person)}`;
        const ask = (method: string, path: string, body?: object) =>
          fetch(stack.at("api") + path, {
            method,
            headers: { authorization, ...(body && { "content-type": "application/json" }) },
            ...(body && { body: JSON.stringify(body) }),
          });
        const me = await ask("GET", "/v1/me");
        expect([me.status, await me.json()]).toEqual([
          200,
          expect.not.objectContaining({ platform_role: expect.anything() }),
        ]);
        for (const [method, path, body] of changes) {
          const answer = await ask(method, path, body);
          const { error } = (await answer.json()) as { error: { details: { error_code: string } } };
          expect([path, answer.status, error.details.error_code]).toEqual([path, 403, "scope_missing"]);
        }
      }
    });

    test("a token that lacks the scope is refused with 403", async () => {
      const { client_id, redirect_uri } = appClient(stack.program, "tokenHelper");
      const { email, password } = developer();
      const signingIn = { clientId: client_id, redirectUri: redirect_uri, email, password };
      const { access_token } = await signIn({ ...signingIn, authUrl: stack.at("auth") });
      expect(await bearer(access_token)).toMatchObject({
        status: 403,
        body: { error: { type: "permission_error", details: { error_code: "scope_missing" } } },
      });
    });
  });

  describe("what is no credential is refused", () => {
    test.each([
      ["nothing", {}],
      ["an empty key", { "x-api-key": "" }],
    ])("a request without a credential is refused: %s", (_name, headers) =>
      expectRefused(withHeaders(headers), "credential_missing"),
    );

    test.each([
      ["another scheme", { authorization: "Basic YTpi" }],
      ["an empty bearer", { authorization: "Bearer" }],
      ["junk", { "x-api-key": "sk-ant-api03-junk" }],
      ["60 KB of it", { "x-api-key": "x".repeat(60_000) }],
      ["a token of 50 KB", { authorization: `Bearer eyJ${"a".repeat(50_000)}.b.c` }],
      ["a token of three dots", { authorization: "Bearer eyJ..." }],
    ])("a request with something that is no credential is refused: %s", (_name, headers) =>
      expectRefused(withHeaders(headers), "credential_invalid"),
    );
  });

  describe("an API key", () => {
    const revoke = (keyId: string) =>
      fetch(`${stack.at("api")}/v1/keys/${keyId}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${ownerToken}` },
      });

    test("an API key with a wrong checksum is refused without a look-up", async () => {
      const key = stack.demo?.api_key ?? "";
      await (await ask(stack)).text();
      await settled(stack);
      const { cursor } = stack.calls.since(0);
      const last = key.endsWith("A") ? "B" : "A";
      await expectRefused(byKey(key.slice(0, -1) + last), "credential_invalid");
      expect(stack.calls.since(cursor).calls).toEqual([]);
    });

    test("an API key that is well formed but wrong or unknown is refused with the same message", async () => {
      const { mintApiKey } = await import("../../../domain/access/key-text.ts");
      const random = (size: number) => new Uint8Array(size).map((_, index) => index * 7 + 3);
      const known = stack.demo?.api_key.split("_")[2] ?? "";
      await expectRefused(byKey(mintApiKey("live", known, random).key), "credential_invalid");
      await expectRefused(byKey(mintApiKey("live", "abcdefghijkl", random).key), "credential_invalid");
    });

    test("an API key is refused at most one minute after its revocation", async () => {
      const { key, key_id } = await aServiceAccount(stack);
      expect((await byKey(key)).status).toBe(200);
      expect((await revoke(key_id)).status).toBe(204);
      stack.clock.advance(minute);
      await expectRefused(byKey(key), "credential_invalid");
    });

    test("an API key is refused once it has expired", async () => {
      const expires_at = new Date(stack.clock.now() + 5 * minute).toISOString();
      const input = { name: "short", mode: "live", kind: "service_account", expires_at, grant: aGrant() };
      const { key } = (await callControlPlane(stack, ownerToken, "POST", "/v1/keys", input)) as { key: string };
      expect((await byKey(key)).status).toBe(200);
      stack.clock.advance(5 * minute);
      await expectRefused(byKey(key), "credential_expired");
    });

    test("an API key for tests works like a live key, and its text says that it is for tests", async () => {
      const input = { name: "ci", mode: "test", kind: "service_account", grant: aGrant() };
      const { key } = (await callControlPlane(stack, ownerToken, "POST", "/v1/keys", input)) as { key: string };
      expect(key).toMatch(/^ar_test_/);
      expect((await byKey(key)).status).toBe(200);
    });

    test("wrong API keys delay no stream, however many there are", async () => {
      const { mintApiKey } = await import("../../../domain/access/key-text.ts");
      const known = stack.demo?.api_key.split("_")[2] ?? "";
      // A stream that outlasts the refusals on any machine.
      stack.bedrock.configure({ outputTokens: 60_000, tokensPerEvent: 1, millisecondsPerToken: 5 });
      const response = await ask(stack, { max_tokens: 60_000 });
      const order: string[] = [];
      const reading = (async () => {
        for await (const _bytes of response.body ?? []) order.push("stream");
        order.push("end");
      })();
      order.push("first sent");
      const wrong = Array.from({ length: 20 }, (_, index) => {
        const random = (size: number) => new Uint8Array(size).fill(index);
        return expectRefused(byKey(mintApiKey("live", known, random).key), "credential_invalid");
      });
      await Promise.all(wrong);
      order.push("last refused");
      stack.bedrock.resume();
      await reading;
      const meanwhile = order.slice(order.indexOf("first sent"), order.indexOf("last refused"));
      expect(meanwhile.filter((each) => each === "stream").length).toBeGreaterThan(0);
      expect(order).toContain("end");
      await settled(stack);
    });
  });

  function aGrant() {
    return { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 5 };
  }

  describe("a grant", () => {
    const put = (grant: object) => callControlPlane(stack, ownerToken, "PUT", `/v1/grants/${developer().sub}`, grant);

    test("a changed grant is in force within a minute", async () => {
      expect((await bearer(token)).body).toMatchObject({ data: expect.arrayContaining([expect.anything()]) });
      await put({ ...aGrant(), allowed_models: ["claude-sonnet-5"] });
      stack.clock.advance(minute);
      const { body } = await bearer(token);
      expect((body as { data?: { id: string }[] }).data?.map(({ id }) => id)).toEqual(["claude-sonnet-5"]);
      await put({ ...aGrant(), allowed_regions: ["eu-central-1", "us-east-1"] });
      stack.clock.advance(minute);
    });

    test("a removed grant has no effect within a minute", async () => {
      expect((await bearer(token)).status).toBe(200);
      await fetch(`${stack.at("api")}/v1/grants/${developer().sub}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${ownerToken}` },
      });
      stack.clock.advance(minute);
      expect(await bearer(token)).toMatchObject({
        status: 403,
        body: { error: { type: "permission_error", details: { error_code: "grant_missing" } } },
      });
      await put({ ...aGrant(), allowed_regions: ["eu-central-1", "us-east-1"] });
      stack.clock.advance(minute);
      expect((await bearer(token)).status).toBe(200);
    });
  });

  // These move the clock far and come last.
  describe("when the key set cannot be fetched", () => {
    const outage = {
      service: "cognito-idp",
      operation: "jwks.json",
      when: "before",
      kind: "cut",
      times: 1_000,
    } as const;
    const key = () => stack.demo?.api_key ?? "";

    /** Nobody is told that a token is bad which nobody could judge. */
    async function expectToComeBack(answering: ReturnType<typeof withHeaders>): Promise<void> {
      const { status, body, response } = await answering;
      expect([status, body.error?.details]).toEqual([503, { error_code: "identity_unavailable" }]);
      expect([response.headers.get("retry-after"), response.headers.get("x-should-retry")]).toEqual(["1", null]);
    }

    test("tokens are accepted for an hour after the last fetch of the key set, and not longer", async () => {
      await stack.functions.byName("proxy-local").kill();
      token = await helperToken(stack, developer());
      expect((await bearer(token)).status).toBe(200);
      stack.faults.put([outage]);
      stack.clock.advance(59 * minute);
      token = await helperToken(stack, developer());
      expect((await bearer(token)).status).toBe(200);
      stack.clock.advance(minute);
      await expectToComeBack(bearer(token));
    });

    test("a key set that is an hour old is fetched within the call, even if its host fails twice", async () => {
      await stack.functions.byName("proxy-local").kill();
      token = await helperToken(stack, developer());
      expect((await bearer(token)).status).toBe(200);
      stack.clock.advance(60 * minute);
      token = await helperToken(stack, developer());
      stack.faults.put([{ ...outage, times: 2 }]);
      expect((await bearer(token)).status).toBe(200);
      expect(stack.faults.list()).toMatchObject([{ left: 0 }]);
    });

    test("during an outage of the key set a valid API key beside the token is accepted, and a wrong one is not", async () => {
      await stack.functions.byName("proxy-local").kill();
      stack.faults.put([outage]);
      token = await helperToken(stack, developer());
      const authorization = `Bearer ${token}`;
      await expectToComeBack(withHeaders({ authorization }));
      expect((await withHeaders({ authorization, "x-api-key": key() })).status).toBe(200);
      await expectToComeBack(withHeaders({ authorization, "x-api-key": `${key()}x` }));
      expect((await byKey(key())).status).toBe(200);
      await expectRefused(byKey(`${key()}x`), "credential_invalid");
      stack.faults.clear();
      expect((await bearer(token)).status).toBe(200);
    });

    test("an expired token is refused", async () => {
      const fresh = await helperToken(stack, developer());
      expect((await bearer(fresh)).status).toBe(200);
      stack.clock.advance(decoded(parts(fresh)[1]).exp * 1000 - stack.clock.now());
      await expectRefused(bearer(fresh), "credential_expired");
    });
  });
});
