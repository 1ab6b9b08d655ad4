import { createHash } from "node:crypto";
import { gzipSync, zstdCompressSync } from "node:zlib";
import Anthropic from "@anthropic-ai/sdk";
import { beforeAll, describe, expect, test } from "@jest/globals";
import OlderAnthropic from "anthropic-sdk-0";
import { maxBodyBytes } from "../../../handlers/proxy/contract.ts";
import { consoleToken, helperToken } from "../../../local/demo/app-client.ts";
import { callControlPlane } from "../../../local/demo/workspace.ts";
import { type Stack, startLocal } from "../../../local/stack.ts";
import { ledgerSince, settled } from "../../support/accounting/accounting.ts";
import { sharedStack } from "../../support/shared-stack.ts";
import { longTest } from "../../support/sizes.ts";

describe("first message", () => {
  let stack: Stack;
  let proxy: string;
  const request = {
    model: "claude-sonnet-5",
    max_tokens: 200,
    messages: [{ role: "user" as const, content: "What is an arch?" }],
  };

  beforeAll(async () => {
    stack = await sharedStack();
    proxy = stack.at(`${stack.demo?.slug}.proxy`);
  });

  function send(body: object, headers: Record<string, string> = {}): Promise<Response> {
    return fetch(`${proxy}/vendor/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": stack.demo?.api_key ?? "", ...headers },
      body: JSON.stringify(body),
    });
  }

  /** In chunks: no header says how long it is. */
  function sendWithoutLength(body: string): Promise<Response> {
    return fetch(`${proxy}/vendor/v1/messages`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-api-key": stack.demo?.api_key ?? "" },
      body: new Blob([body]).stream(),
      duplex: "half",
    } as RequestInit);
  }

  describe("a streamed message", () => {
    test("a streamed message is byte for byte what the model host's chunks contain, including message_stop with its metrics", async () => {
      const response = await send({ ...request, stream: true });
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe("text/event-stream; charset=utf-8");
      const text = await response.text();
      const call = stack.bedrock.requests().at(-1);
      const events = call?.chunks.map((json) => `event: ${JSON.parse(json).type}\ndata: ${json}\n\n`).join("");
      expect(text).toBe(events);
      expect(text).toContain("amazon-bedrock-invocationMetrics");
    });

    test("a streamed message arrives while the model host is still producing it", async () => {
      stack.bedrock.fail({ error: "stall", after: 2 });
      const response = await send({ ...request, stream: true });
      const reader = response.body?.getReader();
      await reader?.read();
      expect(stack.bedrock.requests().at(-1)?.outcome).toBe("running");
      stack.bedrock.resume();
      while (!(await reader?.read())?.done);
      expect(stack.bedrock.requests().at(-1)?.outcome).toBe("complete");
    });

    test("a streamed message is sent to the model host with the client's versions and without the client's credentials", async () => {
      await (
        await send(
          { ...request, stream: true },
          { "anthropic-version": "2023-06-01", "x-code-session-id": "session-1", "x-platform-region": "us-east-1" },
        )
      ).text();
      const { headers = {}, region, sessionTags } = stack.bedrock.requests().at(-1) ?? {};
      expect(headers).toMatchObject({ "anthropic-version": "2023-06-01", "content-type": "application/json" });
      expect(Object.keys(headers).filter((name) => /api-key|session-id|region|origin|viewer/.test(name))).toEqual([]);
      expect(JSON.stringify(headers)).not.toContain(stack.demo?.api_key);
      expect(region).toBe("us-east-1");
      expect(sessionTags).toEqual({ tenant_id: stack.demo?.tenant_id });
    });

    test("a streamed message makes one call to the store before the first byte and two after the last, in a warm instance", async () => {
      await (await send({ ...request, stream: true })).text();
      await settled(stack);
      const { cursor } = stack.calls.since(0);
      await (await send({ ...request, stream: true })).text();
      await settled(stack);
      const operations = stack.calls.since(cursor).calls.map(({ operation }) => operation);
      expect(operations).toEqual(["UpdateItem", "InvokeModelWithResponseStream", "PutItem", "UpdateItem"]);
    });
  });

  describe.each([
    ["newest", Anthropic],
    ["0.x", OlderAnthropic as unknown as typeof Anthropic],
  ])("the unmodified Anthropic SDK, %s", (_name, Sdk) => {
    const credentials = {
      "an API key": async () => stack.demo?.api_key ?? "",
      "a token of a PKCE sign-in": async () => helperToken(stack, stack.demo?.developer ?? { email: "", password: "" }),
    };

    test.each(Object.entries(credentials))(
      "the unmodified Anthropic SDK gets a stream and a whole answer with %s",
      async (_kind, credential) => {
        const client = new Sdk({ baseURL: `${proxy}/vendor`, apiKey: await credential() });
        const streamed = await client.messages.stream(request).finalMessage();
        const whole = await client.messages.create(request);
        expect(streamed.content).toEqual(whole.content);
        expect(streamed.stop_reason).toBe("end_turn");
        expect(whole.usage.input_tokens).toBeGreaterThan(0);
      },
    );
  });

  test("a control-plane call works with the owner's token", async () => {
    const token = await consoleToken(stack, stack.demo?.owner ?? { email: "", password: "" });
    const response = await fetch(`${stack.at("api")}/v1/tenants/my`, { headers: { authorization: `Bearer ${token}` } });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ slug: "acme", status: "active", tenant_id: stack.demo?.tenant_id });
  });

  test("the ledger has one row for each answer, with the model host's count", async () => {
    const since = stack.clock.now();
    const before = await ledgerSince(stack, since);
    await (await send({ ...request, stream: true })).text();
    await settled(stack);
    const counted = stack.bedrock.requests().at(-1)?.usage;
    const known = new Set(before.map(({ request_id }) => request_id));
    const added = (await ledgerSince(stack, since)).filter(({ request_id }) => !known.has(request_id));
    expect(added).toMatchObject([
      {
        usage: { input: counted?.input_tokens, output: counted?.output_tokens },
        source: "final",
        model: "claude-sonnet-5",
      },
    ]);
  });

  test.each([
    ["gzip", gzipSync],
    ["zstd", zstdCompressSync],
  ] as const)("a body that is compressed with %s is read", async (encoding, compress) => {
    const response = await fetch(`${proxy}/vendor/v1/messages`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        "content-encoding": encoding,
        "x-api-key": stack.demo?.api_key ?? "",
        "anthropic-version": "2026-10-21",
      },
      body: new Uint8Array(compress(Buffer.from(JSON.stringify(request)))),
    });
    expect([response.status, ((await response.json()) as { type: string }).type]).toEqual([200, "message"]);
    expect(stack.bedrock.requests().at(-1)?.body).toMatchObject({ anthropic_version: "2026-10-21" });
  });

  test("a page of a browser may call once the workspace's owner allows its origin", async () => {
    const [owner, page] = [stack.demo?.owner ?? { email: "", password: "" }, "https://app.example.com"];
    const token = await consoleToken(stack, owner);
    const { tenant_id: id } = (await callControlPlane(stack, token, "GET", "/v1/tenants/my")) as { tenant_id: string };
    const change = (browser_origins: string[]) =>
      callControlPlane(stack, token, "PATCH", `/v1/tenants/${id}`, { browser_origins });
    await change([page]);
    stack.clock.advance(60_000);
    const asked = {
      origin: page,
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-api-key",
    };
    const question = await fetch(`${proxy}/vendor/v1/messages`, { method: "OPTIONS", headers: asked });
    expect([question.status, question.headers.get("access-control-allow-origin")]).toEqual([204, page]);
    const answer = await send(request, { origin: page });
    expect([answer.status, answer.headers.get("access-control-allow-origin")]).toEqual([200, page]);
    await Promise.all([question.text(), answer.text()]);
    await change([]);
  });

  describe("bad input gets a clear answer", () => {
    const cases: [string, () => Promise<Response>, number, string][] = [
      ["unknown host", () => fetch(`${stack.at("nobody.proxy")}/vendor/v1/models`), 404, "tenant_not_found"],
      ["unknown path", () => fetch(`${proxy}/nothing`), 404, "not_found_error"],
      [
        "unknown method",
        () => fetch(`${proxy}/vendor/v1/messages`, { method: "DELETE" }),
        405,
        "invalid_request_error",
      ],
      ["no credential", () => send(request, { "x-api-key": "" }), 401, "authentication_error"],
      ["wrong key", () => send(request, { "x-api-key": "ar_live_nonsense" }), 401, "authentication_error"],
      ["no model", () => send({ ...request, model: undefined }), 400, "invalid_request_error"],
      ["unknown model", () => send({ ...request, model: "gpt-9" }), 404, "not_found_error"],
      ["wrong max_tokens", () => send({ ...request, max_tokens: "many" }), 400, "invalid_request_error"],
      ["wrong region", () => send(request, { "x-platform-region": "mars-1" }), 403, "permission_error"],
      ["batches", () => fetch(`${proxy}/vendor/v1/messages/batches`, { method: "POST" }), 501, "not_supported"],
      [
        "a huge body without a length, which the edge cannot see",
        () => sendWithoutLength("x".repeat(maxBodyBytes + 1)),
        413,
        "request_too_large",
      ],
      ["a huge body", () => send({ ...request, system: "x".repeat(7 * 1024 * 1024) }), 413, "request_too_large"],
    ];

    test.each(cases)("bad input gets a clear refusal: %s", async (_name, ask, status, type) => {
      const response = await ask();
      expect(response.status).toBe(status);
      const body = (await response.json()) as { type: string; error: { type: string; message: string } };
      expect(body).toMatchObject({ type: "error", error: { type } });
      expect(body.error.message).not.toMatch(/arn:|\d{12}/);
    });

    test.each([
      ["no body", undefined],
      ["bad JSON", '{"model": '],
      ["a list", "[]"],
    ])("bad input for another operation gets a clear refusal: %s", async (_name, body) => {
      const response = await fetch(`${proxy}/vendor/v1/messages`, {
        method: "POST",
        headers: { "content-type": "application/json", "x-api-key": stack.demo?.api_key ?? "" },
        ...(body !== undefined && { body }),
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({
        error: { type: "invalid_request_error", message: expect.stringMatching(/body/) },
      });
    });
  });

  longTest("several stacks run at the same time, and a stopped stack leaves nothing behind", async () => {
    const others = await Promise.all([
      startLocal({ port: 0, ephemeral: true }),
      startLocal({ port: 0, ephemeral: true }),
    ]);
    const edges = new Set([stack.edge, ...others.map(({ edge }) => edge)]);
    expect(edges.size).toBe(3);
    const digests = new Set(
      others.map(({ demo }) =>
        createHash("sha256")
          .update(demo?.api_key ?? "")
          .digest("hex"),
      ),
    );
    expect(digests.size).toBe(2);
    for (const other of others) {
      await other.stop();
      expect(other.functions.all.flatMap(({ instances }) => instances)).toEqual([]);
      await expect(fetch(other.edge)).rejects.toThrow();
      await expect(fetch(other.aws)).rejects.toThrow();
    }
  });
});
