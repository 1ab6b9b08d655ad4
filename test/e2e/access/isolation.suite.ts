// Two workspaces on one platform: nothing of one opens, spends or tells anything of the other.
import http from "node:http";
import { beforeAll, describe, expect, test } from "@jest/globals";
import { monthOf } from "../../../domain/kernel/period.ts";
import { consoleToken, helperToken } from "../../../local/demo/app-client.ts";
import { addPaymentMethod, callControlPlane, openWorkspace, signUp } from "../../../local/demo/workspace.ts";
import type { Person } from "../../../local/running-stack.ts";
import type { Stack } from "../../../local/stack.ts";
import { activeCallers, ledgerSince, settled } from "../../support/accounting/accounting.ts";
import { aRequest, aServiceAccount, ask } from "../../support/proxy-client.ts";
import { sharedStack } from "../../support/shared-stack.ts";

describe("isolation", () => {
  let stack: Stack;
  let owner: Person;
  let startedAt: number;
  let other: { tenant_id: string; slug: string };
  let otherToken: string;
  /** Every kind of credential of the demo workspace, by what it is. */
  let credentials: Record<string, Record<string, string>>;

  const kinds = [
    "the owner's token",
    "a developer's token",
    "a person's key",
    "a service account's key",
    "a test key",
  ] as const;

  beforeAll(async () => {
    stack = await sharedStack();
    startedAt = stack.clock.now();
    owner = await signUp(stack, "owner@globex.example");
    other = await openWorkspace(stack, owner, "Globex");
    await addPaymentMethod(stack, owner);
    otherToken = await helperToken(stack, owner);
    const { demo } = stack;
    if (!demo) throw new Error("no demo");
    const create = async (person: Person, input: object) => {
      const made = await callControlPlane(stack, await consoleToken(stack, person), "POST", "/v1/keys", input);
      return { "x-api-key": (made as { key: string }).key };
    };
    const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
    credentials = {
      "the owner's token": bearer(await helperToken(stack, demo.owner)),
      "a developer's token": bearer(await helperToken(stack, demo.developer)),
      "a person's key": await create(demo.developer, { name: "mine" }),
      "a service account's key": { "x-api-key": (await aServiceAccount(stack)).key },
      "a test key": await create(demo.developer, { name: "test", mode: "test" }),
    };
  });

  function as(
    kind: string,
    slug: string | undefined,
    path = "/vendor/v1/messages",
    method = "POST",
  ): Promise<Response> {
    return fetch(`${stack.at(`${slug}.proxy`)}${path}`, {
      method,
      headers: { "content-type": "application/json", ...credentials[kind] },
      ...(method === "POST" && { body: JSON.stringify(aRequest) }),
    });
  }

  const withoutId = (body: unknown) => ({ ...(body as object), request_id: undefined });

  describe.each(kinds)("%s", (kind) => {
    test("a credential works at its own workspace", async () => {
      const response = await as(kind, stack.demo?.slug);
      expect(response.status).toBe(200);
      await response.text();
    });

    test.each([
      ["POST", "/vendor/v1/messages"],
      ["POST", "/vendor/v1/messages/count_tokens"],
      ["GET", "/vendor/v1/models"],
      ["GET", "/vendor/v1/models/claude-sonnet-5"],
    ])(
      "a credential gets 403 at another workspace for %s %s, without any facts about that workspace",
      async (method, path) => {
        const response = await as(kind, other.slug, path, method);
        expect(response.status).toBe(403);
        const text = await response.text();
        expect(withoutId(JSON.parse(text))).toEqual({
          type: "error",
          error: {
            type: "permission_error",
            message: expect.stringMatching(/^The credential is not valid for this address\. archway login and /),
            details: { error_code: "tenant_mismatch" },
          },
        });
        for (const secret of [other.tenant_id, other.slug, "Globex", owner.sub, owner.email, "claude"]) {
          expect(text).not.toContain(secret);
        }
        expect([...response.headers.keys()].filter((name) => /ratelimit|budget/.test(name))).toEqual([]);
      },
    );
  });

  test("a call at another workspace spends nothing there, and leaves neither ledger rows nor active callers", async () => {
    await settled(stack);
    expect(await ledgerSince(stack, startedAt, other.tenant_id)).toEqual([]);
    const listed = await activeCallers(stack, monthOf(stack.clock.now()), other.tenant_id);
    expect(listed).toEqual([]);
  });

  test("each workspace's calls have its own session tag, and are in its own ledger", async () => {
    const headers = { authorization: `Bearer ${otherToken}`, "x-api-key": "" };
    for (const slug of [stack.demo?.slug, other.slug]) {
      const response = await ask(stack, {}, slug === other.slug ? { slug, headers } : {});
      expect(response.status).toBe(200);
      await response.text();
      await settled(stack);
      const tenant_id = slug === other.slug ? other.tenant_id : stack.demo?.tenant_id;
      expect(stack.bedrock.requests().at(-1)?.sessionTags).toEqual({ tenant_id });
      const rows = await ledgerSince(stack, startedAt, tenant_id);
      expect(rows).toContainEqual(
        expect.objectContaining({ tenant_id, request_id: response.headers.get("request-id") }),
      );
    }
    expect(await ledgerSince(stack, startedAt, other.tenant_id)).toHaveLength(1);
  });

  /** A request whose host is exactly this. */
  function atHost(host: string, headers: Record<string, string> = {}): Promise<{ status: number; text: string }> {
    const { port } = new URL(stack.edge);
    return new Promise((resolve, reject) => {
      const request = http.request({
        port,
        method: "POST",
        path: "/vendor/v1/messages",
        headers: { "content-type": "application/json", ...credentials["a person's key"], ...headers, host },
      });
      request.once("error", reject);
      request.once("response", async (response) => {
        let text = "";
        for await (const bytes of response) text += bytes;
        resolve({ status: response.statusCode ?? 0, text });
      });
      request.end(JSON.stringify(aRequest));
    });
  }

  describe("the host alone says whose workspace is asked", () => {
    test.each(["x-viewer-host", "x-forwarded-host", "x-original-host", "forwarded", "x-host"])(
      "only the host determines the workspace, whatever %s says",
      async (name) => {
        const home = `${stack.demo?.slug}.proxy.localhost`;
        const elsewhere = `${other.slug}.proxy.localhost`;
        expect((await atHost(elsewhere, { [name]: home })).status).toBe(403);
        expect((await atHost(home, { [name]: elsewhere })).status).toBe(200);
      },
    );

    test("the host determines the workspace in any letter case, with a port or a final dot", async () => {
      for (const host of ["ACME.proxy.localhost", "acme.proxy.localhost:8787", "acme.proxy.localhost."]) {
        expect([host, (await atHost(host)).status]).toEqual([host, 200]);
      }
    });

    test.each(["x.acme.proxy.localhost", "acme.globex.proxy.localhost"])(
      "the host %s below a workspace is not served",
      async (host) => {
        await settled(stack);
        const calls = stack.calls.since(0).cursor;
        expect((await atHost(host)).status).toBe(404);
        expect(stack.calls.since(calls).calls).toEqual([]);
      },
    );

    test.each(["nobody.proxy.localhost", "-.proxy.localhost"])(
      "the host %s belongs to no workspace: 404 in the error shape",
      async (host) => {
        const { status, text } = await atHost(host);
        expect(status).toBe(404);
        expect(JSON.parse(text)).toMatchObject({ type: "error", error: { type: "tenant_not_found" } });
      },
    );
  });

  test("the function's own address refuses every request that does not come through the edge", async () => {
    const { program, functions } = stack;
    const [url] = program.resources.ofType("aws:lambda/functionUrl:FunctionUrl");
    expect(url).toBeDefined();
    const event = {
      version: "2.0",
      rawPath: "/vendor/v1/messages",
      rawQueryString: "",
      headers: { ...credentials["a person's key"], "x-viewer-host": `${stack.demo?.slug}.proxy.localhost` },
      requestContext: { http: { method: "POST", path: "/vendor/v1/messages" } },
      body: JSON.stringify(aRequest),
      isBase64Encoded: false,
    };
    for (const secret of [undefined, "", "guess"]) {
      const headers = { ...event.headers, ...(secret !== undefined && { "x-origin-secret": secret }) };
      const { prelude, body } = await functions.byName("proxy-local").stream({ ...event, headers });
      for await (const _bytes of body);
      expect(prelude.statusCode).toBe(404);
    }
  });

  describe("in the control plane", () => {
    test("an owner sees only the keys and grants of the own workspace, and cannot change others", async () => {
      const token = await consoleToken(stack, owner);
      const get = async (path: string) =>
        fetch(stack.at("api") + path, { headers: { authorization: `Bearer ${token}` } });
      expect(((await (await get("/v1/keys")).json()) as { data: unknown[] }).data).toEqual([]);
      const developer = stack.demo?.developer.sub;
      expect((await get(`/v1/grants/${developer}`)).status).toBe(404);
      const keyId = credentials["a person's key"]?.["x-api-key"]?.split("_")[2];
      const response = await fetch(`${stack.at("api")}/v1/keys/${keyId}`, {
        method: "DELETE",
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(404);
      expect((await as("a person's key", stack.demo?.slug)).status).toBe(200);
    });
  });
});
