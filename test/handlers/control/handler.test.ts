import { UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import * as z from "zod";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { KeySetUnavailable } from "../../../domain/access/credential.ts";
import { mintApiKey, mintApiKeyId } from "../../../domain/access/key-text.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { serve } from "../../../handlers/control/handler.ts";
import { routes } from "../../../handlers/control/nouns.ts";
import type { Endpoint } from "../../../handlers/control/routing/implement.ts";
import type { Route } from "../../../handlers/control/routing/route.ts";
import { openControlPlane, plainTokens } from "../../support/control-plane.ts";
import { tableName } from "../../support/dynamodb/stores.ts";
import { memberCommand } from "../../support/people/members.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;

let plane: ControlPlane;
beforeAll(async () => {
  plane = await open();
});
afterAll(() => Promise.all(opened.map((each) => each.close())));

const opened: ControlPlane[] = [];
async function open(...change: Parameters<typeof openControlPlane>): Promise<ControlPlane> {
  const control = await openControlPlane(...change);
  opened.push(control);
  return control;
}

const ann = { sub: "ann" };
const routesOf = (noun: Record<string, Route>): Route[] => Object.values(noun);

describe("what is asked for", () => {
  test.each(["/", "/v1", "/v1/nothing", "/v1/tenants/my/more", "/v1/grants//", "/v1/grants/a/b", "/V1/tenants"])(
    "the control plane answers 404 in the specified shape at %s",
    async (path) => {
      const { status, body, headers } = await plane.call("GET", path);
      expect(status).toBe(404);
      expect(body).toEqual({
        type: "error",
        error: { type: "not_found_error", message: expect.any(String), details: { error_code: "not_found" } },
        request_id: headers["request-id"],
      });
    },
  );

  test.each([
    ["DELETE", "/v1/me", "GET, HEAD"],
    ["PUT", "/v1/tenants", "POST, GET, HEAD"],
    ["POST", "/v1/grants/someone", "GET, HEAD, PUT, DELETE"],
    ["OPTIONS", "/v1/keys/x/", "GET, HEAD, PATCH, DELETE"],
  ])("the control plane answers %s %s with 405 and the allowed methods", async (method, path, allow) => {
    const { status, headers, body } = await plane.call(method, path);
    expect(status).toBe(405);
    expect(headers.allow).toBe(allow);
    expect(body.error.details.error_code).toBe("method_not_allowed");
  });

  test("the control plane answers HEAD with 405 if there is no GET", async () => {
    const { status, headers, body } = await plane.call("HEAD", "/v1/keys/x/rotate");
    expect([status, headers.allow, body]).toEqual([405, "POST", undefined]);
  });

  test("every GET has a HEAD with its headers and without its body, also for a refusal", async () => {
    const owner = await plane.workspace("Heads");
    const { "request-id": _, ...unrefused } = (await plane.call("GET", "/v1/keys", { as: owner })).headers;
    const answer = await plane.call("HEAD", "/v1/keys", { as: owner });
    expect(answer).toMatchObject({ status: 200, headers: unrefused, body: undefined });
    expect(await plane.call("HEAD", "/v1/keys")).toMatchObject({ status: 401, body: undefined });
  });

  test("a repeated GET with the ETag of a complete answer gets 304", async () => {
    const owner = await plane.workspace("Known list");
    const etag = String((await plane.call("GET", "/v1/skills", { as: owner })).headers.etag);
    const ask = (tags: string) => plane.call("GET", "/v1/skills", { as: owner, headers: { "if-none-match": tags } });
    for (const tags of [etag, `W/${etag}`, `"x", ${etag}`, "*"]) {
      const known = await ask(tags);
      expect([tags, known.status, known.body, known.headers.etag]).toEqual([tags, 304, undefined, etag]);
    }
    expect((await ask('"x"')).status).toBe(200);
  });

  test("no changing request accepts If-None-Match", async () => {
    const owner = await plane.workspace("Known");
    const path = `/v1/tenants/${owner.tenant_id}`;
    const change = { as: owner, body: { name: "Renamed" }, headers: { "if-none-match": "*" } };
    const refused = await plane.call("PATCH", path, change);
    expect([refused.status, refused.body.error.details.fields]).toEqual([
      400,
      [expect.objectContaining({ path: "if-none-match" })],
    ]);
    expect((await plane.call("GET", path, { as: owner })).body.name).toBe("Known");
  });

  test("no GET gets 304 once its answer has changed, even if its version has not", async () => {
    const reads = Object.values(routes)
      .flatMap(routesOf)
      .filter(({ method }) => method === "GET");
    let change = {};
    const endpoints = reads.map(({ asksOutside: _, recentSignIn: __, idempotent: ___, ...route }): Endpoint => {
      const operate = async () => ({ ...(route.example.response as object), ...change });
      return { ...route, access: "signed_in", response: z.unknown(), operate };
    });
    const played = await open(undefined, (deps) => serve(endpoints, deps));
    const known: string[] = [];
    for (const { path, example } of reads) {
      const address = path.replace(/\{(\w+)\}/g, (_, name) => example.parameters?.[name] ?? "x");
      const ask = (headers = {}) => played.call("GET", address, { as: ann, headers, query: { ...example.query } });
      change = {};
      const { status, headers } = await ask();
      expect([path, status]).toEqual([path, 200]);
      const tagged = { "if-none-match": String(headers.etag ?? "*") };
      if ((await ask(tagged)).status === 304) known.push(path);
      change = { changed: true };
      expect([path, (await ask(headers.etag ? tagged : {})).status]).toEqual([path, 200]);
    }
    expect(known).toEqual(["/v1/skills", "/v1/skills/{name}"]);
  });

  test("a cursor is accepted only by the list that gave it", async () => {
    const owner = await plane.workspace("Cursors");
    for (const _ of [1, 2]) await plane.call("POST", "/v1/keys", { as: owner, body: { name: "Laptop" } });
    const { body } = await plane.call("GET", "/v1/keys", { as: owner, query: { limit: "1" } });
    const query = { cursor: body.next_cursor };
    const rest = await plane.call("GET", "/v1/keys", { as: owner, query: { ...query, limit: "1" } });
    expect([rest.body.data.length, rest.body.next_cursor]).toEqual([1, undefined]);
    const other = await plane.call("GET", "/v1/users", { as: owner, query });
    expect([other.status, other.body.error.details.fields]).toEqual([
      400,
      [expect.objectContaining({ path: "cursor" })],
    ]);
  });

  test("every route answers a call without a credential with 401", async () => {
    for (const { method, path } of Object.values(routes).flatMap(routesOf)) {
      const { status, body } = await plane.call(method, path.replace(/\{\w+\}/, "something"));
      expect([method, path, status]).toEqual([method, path, 401]);
      expect(body.error).toMatchObject({ type: "authentication_error", details: { error_code: "credential_missing" } });
    }
  });

  test("a slash at the end of a path is ignored", async () => {
    expect(await plane.call("GET", "/v1/me/", { as: ann })).toMatchObject({ status: 200 });
  });
});

describe("what is sent", () => {
  const post = (body: unknown, headers = {}) => plane.call("POST", "/v1/tenants", { as: ann, body, headers });

  test("an unknown field of a body is refused by name, with the known fields", async () => {
    const { status, body } = await post({ name: "Some", tier: "pro", __proto__: {} });
    expect(status).toBe(400);
    expect(body.error.message).toBe("tier: unknown field, allowed: name, default_region");
    expect(body.error.details).toEqual({
      error_code: "invalid_request",
      fields: [{ path: "tier", message: "unknown field, allowed: name, default_region" }],
    });
  });

  test("a field of a body called __proto__ is unknown like any other", async () => {
    const { status, body } = await post('{"name":"Some","__proto__":{"tier":"pro"}}');
    expect(status).toBe(400);
    expect(body.error.message).toBe("__proto__: unknown field, allowed: name, default_region");
  });

  test.each(["{", "", "name=Some", '{"name":"a"}{}'])("the body %p is refused because it is not JSON", async (text) => {
    const { status, body } = await post(text);
    expect(status).toBe(400);
    expect(body.error.message).toBe("body: is not valid JSON");
  });

  test.each([
    ["[]", "body: expected object, received array"],
    ["null", "body: expected object, received null"],
    ['"text"', "body: expected object, received string"],
  ])("the body %s is refused because it is not an object", async (text, message) => {
    expect((await post(text)).body.error.message).toBe(message);
  });

  test("a body of 256 KB is refused as too large", async () => {
    const { status, body } = await post({ name: "x".repeat(256 * 1024) });
    expect(status).toBe(413);
    expect(body.error.type).toBe("request_too_large");
  });

  test.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp", ""])(
    "the content type %p is refused, and the header is named",
    async (type) => {
      const { status, body } = await post({ name: "Some" }, { "content-type": type });
      expect(status).toBe(400);
      expect(body.error.message).toMatch(/^content-type: must be application\/json/);
    },
  );

  test("a content type with a charset is accepted", async () => {
    const { status } = await post({ name: "Charset" }, { "content-type": "application/json; charset=utf-8" });
    expect(status).toBe(201);
  });

  test("an unknown query parameter is refused by name", async () => {
    const { status, body } = await plane.call("GET", "/v1/me", { as: ann, query: { verbose: "1" } });
    expect(status).toBe(400);
    expect(body.error.message).toBe("verbose: unknown field, none is allowed here");
  });

  test("a parameter in the path is decoded", async () => {
    const owner = await plane.workspace("Decoded");
    const { body } = await plane.call("GET", "/v1/grants/Google_1%2F2", { as: owner });
    expect(body.error.message).toBe("dev_sub: Google_1/2 has no grant in this workspace");
    const broken = await plane.call("GET", "/v1/grants/%E0%A4%A", { as: owner });
    expect(broken).toMatchObject({ status: 400 });
    expect(broken.body.error.message).toBe("dev_sub: is not percent-encoded correctly");
  });

  test("a parameter in the path that no key of the table could contain is refused by name", async () => {
    const owner = await plane.workspace("Long");
    for (const letter of ["x", "%E2%82%AC"]) {
      const get = (length: number) => plane.call("GET", `/v1/grants/${letter.repeat(length)}`, { as: owner });
      expect(await get(255)).toMatchObject({ status: 404 });
      const { status, body } = await get(256);
      expect(status).toBe(400);
      expect(body.error.details.fields).toMatchObject([{ path: "dev_sub" }]);
      expect(body.error.message).toBe("dev_sub: must have at most 255 characters");
    }
  });
});

describe("what was created", () => {
  test("a created record has its address in the answer", async () => {
    const created = await plane.call("POST", "/v1/tenants", { as: ann, body: { name: "Located" } });
    expect(created.headers.location).toBe(`/v1/tenants/${created.body.tenant_id}`);
    const owner = await plane.workspace("Located keys");
    const { headers, body } = await plane.call("POST", "/v1/keys", { as: owner, body: { name: "CI" } });
    expect(headers.location).toBe(`/v1/keys/${body.key_id}`);
  });
});

describe("a page in a browser", () => {
  const origin = "https://console.example.com";

  test("a browser's page may send a preflight request without a credential", async () => {
    const headers = {
      origin,
      "access-control-request-method": "PUT",
      "access-control-request-headers": "authorization",
    };
    const answer = await plane.call("OPTIONS", "/v1/grants/someone", { headers });
    expect(answer).toMatchObject({ status: 204, body: undefined });
    expect(answer.headers).toMatchObject({ "access-control-allow-origin": origin, vary: "Origin" });
  });

  test("a browser's page can read answers and refusals, and their headers", async () => {
    for (const [as, status] of [[ann, 200] as const, [undefined, 401] as const]) {
      const answer = await plane.call("GET", "/v1/me", { ...(as && { as }), headers: { origin } });
      expect(answer).toMatchObject({ status, headers: { "access-control-allow-origin": origin, vary: "Origin" } });
      expect(answer.headers["access-control-expose-headers"]).toContain("Location");
    }
  });
});

describe("who calls", () => {
  const me = (request: Parameters<ControlPlane["call"]>[2]) => plane.call("GET", "/v1/me", request);

  test("an API key is refused by the control plane, in either header", async () => {
    const { key } = mintApiKey("live", mintApiKeyId(plane.dependencies.random), plane.dependencies.random);
    for (const headers of [{ "x-api-key": key }, { authorization: `Bearer ${key}` }]) {
      const { status, body } = await me({ headers });
      expect(status).toBe(403);
      expect(body.error).toMatchObject({ type: "permission_error", details: { error_code: "scope_missing" } });
    }
  });

  test("a token without the scope is refused, and one with the unprefixed scope is accepted", async () => {
    const refused = await me({ as: { ...ann, scope: "platform/proxy:invoke openid" } });
    expect(refused).toMatchObject({ status: 403, body: { error: { details: { error_code: "scope_missing" } } } });
    expect(await me({ as: { ...ann, scope: "openid control:manage" } })).toMatchObject({ status: 200 });
  });

  test("a caller whose credential is refused is told what is wrong with it", async () => {
    const challengeOf = async (request: Parameters<typeof me>[0]) => (await me(request)).headers["www-authenticate"];
    expect(await challengeOf({})).toBe('Bearer scope="platform/control:manage"');
    expect(await challengeOf({ headers: { authorization: "Bearer x" } })).toBe(
      'Bearer error="invalid_token", error_description="The credential is not valid"',
    );
    expect(await challengeOf({ as: { ...ann, scope: "openid" } })).toMatch(/^Bearer error="insufficient_scope", /);
    expect(await challengeOf({ as: ann })).toBeUndefined();
  });

  test("a caller whose token has no workspace is told to create or join one", async () => {
    const { status, body } = await plane.call("GET", "/v1/keys", { as: ann });
    expect(status).toBe(404);
    expect(body.error.details.error_code).toBe("no_active_tenant");
  });

  test("a person who is not a member of the token's workspace is refused, and so is an invited person", async () => {
    const { tenant_id } = await plane.workspace("Strangers");
    await plane.document.send(memberCommand({ sub: "guest", tenant_id, invited_at: "2026-11-21T05:00:00.000Z" }));
    for (const sub of ["stranger", "guest"]) {
      const { status, body } = await plane.call("GET", "/v1/keys", { as: { sub, tenant_id } });
      expect(status).toBe(403);
      expect(body.error.details.error_code).toBe("role_missing");
    }
  });

  test("a developer is refused by routes for the owner, which name the role", async () => {
    const { tenant_id } = await plane.workspace("Roles");
    const developer = await plane.developer(tenant_id);
    const { status, body } = await plane.call("DELETE", "/v1/grants/someone", { as: developer });
    expect(status).toBe(403);
    expect(body.error.message).toBe("This needs the role owner; yours is developer");
  });

  test("the role in the token does not count, but the role of the membership", async () => {
    const { tenant_id } = await plane.workspace("Claims");
    const developer = await plane.developer(tenant_id);
    const claims = { ...developer, tenant_role: "owner" as const };
    expect(await plane.call("DELETE", "/v1/grants/someone", { as: claims })).toMatchObject({ status: 403 });
  });

  test("a removed person is refused within a minute", async () => {
    const { tenant_id } = await plane.workspace("Removed");
    const developer = await plane.developer(tenant_id);
    const list = () => plane.call("GET", "/v1/keys", { as: developer });
    expect(await list()).toMatchObject({ status: 200 });
    await plane.document.send(memberCommand({ sub: developer.sub, tenant_id, status: "removed" }));
    plane.db.clock.advance(60_000);
    expect(await list()).toMatchObject({ status: 403 });
  });

  test("a deleted workspace refuses every call", async () => {
    const owner = await plane.workspace("Deleted");
    await plane.document.send(
      new UpdateCommand({
        TableName: tableName,
        Key: tenantRecord.key({ tenant_id: owner.tenant_id }),
        UpdateExpression: "SET #status = :deleted",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":deleted": "deleted" },
      }),
    );
    const { status, body } = await plane.call("GET", "/v1/keys", { as: owner });
    expect(status).toBe(403);
    expect(body.error.type).toBe("tenant_suspended");
  });
});

describe("GET /v1/me", () => {
  test("GET /v1/me gives the person, the token's workspace, the next token's workspace, and all memberships", async () => {
    const created_at = "2026-11-21T05:00:00.000Z";
    const profile = {
      sub: "zoe",
      email: "zoe@acme.test",
      approval_status: "pending" as const,
      created_at,
      provider: "password",
      email_verified: true,
    };
    await plane.stores.users.putProfile(profile);
    const { tenant_id } = await plane.workspace("Zoe", "zoe");
    const other = await plane.workspace("Not Zoe's");
    await plane.developer(other.tenant_id, "zoe");
    const as = { sub: "zoe", platform_role: "platform_admin" as const, tenant_id: other.tenant_id };
    const { status, body } = await plane.call("GET", "/v1/me", { as });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      user_id: "zoe",
      email: "zoe@acme.test",
      approval_status: "pending",
      platform_role: "platform_admin",
      tenant_id: other.tenant_id,
      tenant_role: "developer",
      next_tenant_id: tenant_id,
    });
    expect(body.memberships).toHaveLength(2);
    expect(body.memberships).toContainEqual(
      expect.objectContaining({ tenant_id: other.tenant_id, tenant_role: "developer", status: "active" }),
    );
  });

  test("GET /v1/me gives only the id of a person without profile and workspace", async () => {
    const { body } = await plane.call("GET", "/v1/me", { as: { sub: "new" } });
    expect(body).toEqual({ user_id: "new", memberships: [] });
  });
});

describe("what goes wrong", () => {
  test("an unknown error becomes 500 and reveals only the request id", async () => {
    const cause = new Error("User: arn:aws:sts::123456789012:assumed-role/x is not authorized");
    const broken = await open(({ users }) => ({
      users: { ...users, record: () => Promise.reject(cause) },
    }));
    const { status, body, headers } = await broken.call("GET", "/v1/me", { as: ann });
    expect(status).toBe(500);
    expect(body.error).toMatchObject({ type: "api_error", details: { error_code: "internal" } });
    expect(JSON.stringify(body)).not.toMatch(/arn|1234|at /);
    expect(broken.lines).toContainEqual({
      message: "internal",
      facts: { request_id: headers["request-id"] },
      error: cause,
    });
  });

  test("an outage of the store becomes 503 with a time to retry", async () => {
    const outage = new Refusal("store_unavailable", "try again", { retryAfterSeconds: 1 });
    const broken = await open(({ users }) => ({
      users: { ...users, record: () => Promise.reject(outage) },
    }));
    const { status, headers } = await broken.call("GET", "/v1/me", { as: ann });
    expect(status).toBe(503);
    expect(headers["retry-after"]).toBe("1");
  });

  test("without the identity provider's key set every caller is refused and told to retry", async () => {
    const broken = await open(() => ({
      tokens: { verify: () => Promise.reject(new KeySetUnavailable(new Error("no key set"))) },
    }));
    const { status, body, headers } = await broken.call("GET", "/v1/me", { as: ann });
    expect(status).toBe(503);
    expect(body.error.details.error_code).toBe("identity_unavailable");
    expect(headers["retry-after"]).toBe("1");
  });
});

describe("the log", () => {
  test("the control plane's log has one line for each request, without body or credential", async () => {
    let now = 1_000;
    const observed = await open(() => ({
      clock: () => now,
      tokens: {
        verify: async (token) => {
          now += 7;
          return plainTokens.verify(token);
        },
      },
    }));
    const { headers } = await observed.call("GET", "/v1/me", { as: { ...ann, tenant_id: "t1" } });
    const unknown = await observed.call("POST", "/nowhere", { body: { secret: "sesame" } });
    expect(observed.lines).toEqual([
      {
        message: "request",
        facts: {
          request_id: headers["request-id"],
          route: "GET /v1/me",
          status: 200,
          sub: "ann",
          tenant_id: "t1",
          client_id: "console-client",
          duration_ms: 7,
        },
      },
      {
        message: "request",
        facts: { request_id: unknown.headers["request-id"], route: "none", status: 404, duration_ms: 0 },
      },
    ]);
  });
});
