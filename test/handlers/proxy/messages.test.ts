import { beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { rejection } from "../../../adapters/bedrock/failures.ts";
import { parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { formatUsd, nanoUsdPerUsd } from "../../../domain/kernel/money.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { ModelHostError, type ModelRequest } from "../../../domain/messages/model-host.ts";
import { aGrant, aTenant, tenantId } from "../../support/accounting/admissions.ts";
import { streamOf } from "../../support/messages/played-host.ts";
import { openProxy, plainCost, plainEvents, plainMessage, question, type TestProxy } from "../../support/proxy.ts";
import { sizes } from "../../support/sizes.ts";

let proxy: TestProxy;
beforeEach(() => {
  proxy = openProxy();
});

describe("a whole message", () => {
  test("a whole message is the model host's answer, byte for byte", async () => {
    const { status, headers, text, requestId } = await proxy.ask();
    expect([status, text]).toEqual([200, plainMessage]);
    expect(headers).toMatchObject({
      "content-type": "application/json",
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
      "request-id": requestId,
      "anthropic-ratelimit-requests-limit": "60",
      "anthropic-ratelimit-requests-remaining": "59",
    });
  });

  test("a whole message is settled at its cost, to the nano-dollar", async () => {
    const { requestId } = await proxy.ask();
    expect(proxy.rowOf(requestId)).toEqual({
      tenant_id: tenantId,
      caller_id: "dev",
      request_id: requestId,
      admitted_at: "2026-11-21T05:00:00.000Z",
      settled_at: "2026-11-21T05:00:00.000Z",
      model: "claude-sonnet-5",
      profile: "eu.anthropic.claude-sonnet-5",
      region: "eu-central-1",
      on_platform: true,
      usage: { input: 100, output: 20, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0 },
      cost: plainCost,
      // 100 tokens at 2.20 USD a million, and 20 at 11.
      parts: { input: 220_000, output: 220_000, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, saved: 0 },
      version: 0,
      source: "final",
    });
    expect(proxy.spendingOf()).toMatchObject({ spent: plainCost, committed: plainCost, inflight: 0 });
  });

  test("a whole message is logged once it is settled, with its session", async () => {
    const { requestId } = await proxy.ask({ headers: { "x-claude-code-session-id": "s".repeat(1_000) } });
    expect(proxy.finished).toEqual([
      {
        facts: {
          request_id: requestId,
          endpoint: "messages",
          tenant_id: tenantId,
          caller_id: "dev",
          session_id: "s".repeat(256),
          model: "claude-sonnet-5",
          region: "eu-central-1",
          source: "final",
        },
        measures: expect.objectContaining({ output: 20, cost_nano_usd: plainCost, duration_ms: 0, first_byte_ms: 0 }),
      },
    ]);
  });

  test.each<[string, Record<string, string>, object]>([
    ["of the specified header", { "x-code-session-id": "s1" }, { session_id: "s1" }],
    [
      "of Claude Code and its subagent",
      { "x-claude-code-session-id": "s2", "x-claude-code-agent-id": "a2" },
      { session_id: "s2", agent_id: "a2" },
    ],
    ["but no credential", { "x-code-session-id": "AR_LIVE_x", "x-claude-code-agent-id": "EYJhbGciOi" }, {}],
  ])("has the session on its ledger row: %s", async (_, headers, origin) => {
    const { requestId } = await proxy.ask({ headers });
    const { session_id, agent_id } = proxy.rowOf(requestId) ?? {};
    expect({ session_id, agent_id }).toEqual(origin);
    const { requestId: streamed } = await proxy.ask({ headers, body: { ...question, stream: true } });
    expect(proxy.rowOf(streamed)).toMatchObject(origin);
  });

  test("a whole message has the session in its ledger row, also if it is settled at its bounds", async () => {
    proxy.host.play.invoke = async () => {
      throw new ModelHostError("broken", "", { outcomeUnknown: true });
    };
    const { requestId } = await proxy.ask({ headers: { "x-code-session-id": "s1" } });
    expect(proxy.rowOf(requestId)).toMatchObject({ session_id: "s1", source: "estimated" });
  });

  test("a whole message leaves no timer running", async () => {
    await proxy.ask();
    expect(proxy.time.waiting).toBe(0);
  });
});

describe("what the model host gets", () => {
  test("the request to the model host is the body in the host's form, with the caller's identity and three headers unchanged", async () => {
    await proxy.ask({
      headers: {
        "anthropic-version": "2026-10-21",
        "anthropic-beta": "context-management-2025-06-27,oauth-2025-04-20",
        "x-api-key": undefined,
        "x-code-session-id": "session-1",
        "x-platform-region": "us-east-1",
        cookie: "a=b",
      },
      body: { ...question, model: "claude-sonnet-5", stream: false, metadata: { user_id: "u" } },
    });
    const [call] = proxy.host.calls;
    expect(call).toMatchObject({
      operation: "invoke",
      identity: { tenantId, callerId: "dev" },
      region: "us-east-1",
      modelId: "us.anthropic.claude-sonnet-5",
      metadata: { user_id: "u" },
      headers: {
        "anthropic-version": "2026-10-21",
        "anthropic-beta": "context-management-2025-06-27,oauth-2025-04-20",
        "content-type": "application/json",
      },
    });
    expect(Object.keys(call?.headers ?? {})).toHaveLength(3);
    expect(call?.betas).toEqual(["context-management-2025-06-27"]);
    expect(JSON.parse(call?.body ?? "")).toEqual({ max_tokens: 1_000, messages: question.messages });
  });

  test("the request to the model host does not depend on the query, or on the name by which the model is called", async () => {
    await proxy.ask({ query: { beta: "true", model: "x", stream: "true" } });
    await proxy.ask({ path: "/anthropic/v1/messages/", body: { ...question, model: "eu.anthropic.claude-sonnet-5" } });
    await proxy.ask({ base64: true });
    const [first, ...others] = proxy.host.calls;
    for (const other of others) expect(other).toEqual(first);
  });

  test.each([
    ["claude-sonnet-5", "2026-10-21", "2026-10-21"],
    ["claude-sonnet-5", "2023-06-01", undefined],
    ["claude-sonnet-5", undefined, undefined],
    ["claude-sonnet-4-6", "2026-10-21", undefined],
  ])("the model host's version of the API for %s and the caller's version %j is %j", async (model, asked, version) => {
    for (const stream of [false, true]) {
      await proxy.ask({ headers: { "anthropic-version": asked }, body: { ...question, model, stream } });
      const { headers, version: sent } = proxy.host.calls.at(-1) ?? {};
      expect([headers?.["anthropic-version"], sent]).toEqual([asked, version]);
    }
  });

  test("the model host's own 400 for a version reaches the caller", async () => {
    const words = "`temperature` may not be set with anthropic-version 2026-10-21";
    proxy.host.play.invoke = async () => {
      throw rejection(words);
    };
    const { status, json } = await proxy.ask({ headers: { "anthropic-version": "2026-10-21" } });
    expect([status, json.error.message]).toEqual([400, words]);
  });

  test("the model host is not called if a header cannot be sent on", async () => {
    const { status, json } = await proxy.ask({ headers: { "anthropic-beta": "ü" } });
    expect([status, json.error.message]).toEqual([400, "anthropic-beta: must be plain ASCII"]);
    expect(proxy.host.calls).toEqual([]);
  });
});

describe("beta flags that the model host refuses", () => {
  const unknown = { "anthropic-beta": "new-2027-01-01,effort-2025-11-24,claude-code-20250219" };
  const betasOf = (index: number) => proxy.host.calls[index]?.betas;

  /** Refuses every call with such a flag, as the model host does: all at once, without saying which. */
  function refuse(...flags: string[]) {
    const check = ({ betas }: ModelRequest) => {
      if (betas.some((flag) => flags.includes(flag))) throw rejection("invalid beta flag");
    };
    proxy.host.play.invoke = async (call) => {
      check(call);
      return plainMessage;
    };
    proxy.host.play.stream = async (call) => {
      check(call);
      return streamOf(plainEvents);
    };
  }

  test("beta flags that the catalog does not list are sent to the model host", async () => {
    const { status, headers } = await proxy.ask({ headers: unknown });
    expect([status, betasOf(0)]).toEqual([200, ["new-2027-01-01", "effort-2025-11-24"]]);
    expect(headers["x-archway-dropped"]).toBe("claude-code-20250219");
  });

  test.each([false, true])(
    "beta flags that the model host refuses are sent once, and the caller learns of it only from a header (stream: %j)",
    async (stream) => {
      refuse("new-2027-01-01");
      const answer = await proxy.ask({ headers: unknown, body: { ...question, stream } });
      expect(answer.status).toBe(200);
      expect(answer.headers["x-archway-dropped"]).toBe("claude-code-20250219, new-2027-01-01");
      expect(proxy.host.calls.map((_call, index) => betasOf(index))).toEqual([
        ["new-2027-01-01", "effort-2025-11-24"],
        ["effort-2025-11-24"],
      ]);
      for (const { headers } of proxy.host.calls) expect(headers).toMatchObject(unknown);
      expect([...proxy.accounting.rows.keys()]).toEqual([answer.requestId]);
      expect(proxy.rowOf(answer.requestId)).toMatchObject({ cost: plainCost, source: "final" });
      expect(proxy.spendingOf()).toMatchObject({ spent: plainCost, committed: plainCost, inflight: 0 });
      expect(proxy.accounting.calls.filter((call) => call === "admit")).toHaveLength(1);
      expect([proxy.flagsRefused, proxy.refused]).toEqual([[["new-2027-01-01"]], []]);
      expect(proxy.time.waiting).toBe(0);
    },
  );

  test("beta flags that the model host refuses are remembered for that model in that region, and not for others", async () => {
    refuse("new-2027-01-01");
    await proxy.ask({ headers: unknown });
    const { headers } = await proxy.ask({ headers: unknown });
    expect(headers["x-archway-dropped"]).toBe("new-2027-01-01, claude-code-20250219");
    expect([proxy.host.calls.length, betasOf(2)]).toEqual([3, ["effort-2025-11-24"]]);
    await proxy.ask({ headers: unknown, body: { ...question, model: "claude-opus-5" } });
    expect(betasOf(3)).toEqual(["new-2027-01-01", "effort-2025-11-24"]);
    await proxy.ask({ headers: { ...unknown, "x-platform-region": "us-east-1" } });
    expect([proxy.host.calls[5]?.region, betasOf(5)]).toEqual(["us-east-1", ["new-2027-01-01", "effort-2025-11-24"]]);
  });

  test("a beta flag that was refused together with another flag is tried again without the other flag", async () => {
    refuse("bad-2027-01-01");
    await proxy.ask({ headers: { "anthropic-beta": "bad-2027-01-01,good-2027-01-01" } });
    await proxy.ask({ headers: { "anthropic-beta": "good-2027-01-01" } });
    expect(betasOf(2)).toEqual(["good-2027-01-01"]);
  });

  test("listed beta flags that the model host refuses are left out together with the fields that need them", async () => {
    refuse("context-management-2025-06-27");
    const edits = { context_management: { edits: [{ type: "clear_tool_uses_20250919" }] } };
    const asked = {
      headers: { "anthropic-beta": "context-management-2025-06-27,effort-2025-11-24" },
      body: { ...question, ...edits },
    };
    const gone = "context-management-2025-06-27, effort-2025-11-24, context_management";
    for (const calls of [2, 3]) {
      const { status, headers } = await proxy.ask(asked);
      expect([status, headers["x-archway-dropped"], proxy.host.calls.length]).toEqual([200, gone, calls]);
    }
    expect(JSON.parse(proxy.host.calls[0]?.body ?? "")).toMatchObject(edits);
    for (const index of [1, 2]) {
      expect(betasOf(index)).toEqual([]);
      expect(Object.keys(JSON.parse(proxy.host.calls[index]?.body ?? "")).sort()).toEqual(["max_tokens", "messages"]);
    }
    expect(proxy.flagsRefused).toEqual([["context-management-2025-06-27", "effort-2025-11-24"]]);
  });

  test("refused beta flags, listed and unlisted, are left out one after the other, and only the cause is remembered", async () => {
    refuse("effort-2025-11-24");
    const { status, headers, requestId } = await proxy.ask({ headers: unknown });
    expect([status, headers["x-archway-dropped"]]).toEqual([
      200,
      "claude-code-20250219, new-2027-01-01, effort-2025-11-24",
    ]);
    expect([0, 1, 2].map(betasOf)).toEqual([["new-2027-01-01", "effort-2025-11-24"], ["effort-2025-11-24"], []]);
    expect(proxy.flagsRefused).toEqual([["effort-2025-11-24"]]);
    expect(proxy.rowOf(requestId)).toMatchObject({ cost: plainCost, source: "final" });
    await proxy.ask({ headers: unknown });
    expect([proxy.host.calls.length, betasOf(3)]).toEqual([4, []]);
  });

  test("beta flags are kept if the call is also refused without them: the caller gets that refusal, and nothing is billed", async () => {
    proxy.host.play.invoke = async () => {
      throw rejection("invalid beta flag");
    };
    const { status, json, requestId } = await proxy.ask({ headers: unknown });
    expect([status, json.error.message, proxy.host.calls.length]).toEqual([400, "invalid beta flag", 3]);
    expect(proxy.rowOf(requestId)).toBeUndefined();
    expect(proxy.spendingOf()).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
    expect(proxy.flagsRefused).toEqual([]);
    await proxy.ask({ headers: unknown });
    expect(betasOf(3)).toEqual(["new-2027-01-01", "effort-2025-11-24"]);
  });

  test("a refusal that is not about beta flags is not repeated", async () => {
    proxy.host.play.invoke = async () => {
      throw rejection("messages: roles must alternate");
    };
    expect((await proxy.ask({ headers: unknown })).status).toBe(400);
    expect([proxy.host.calls.length, proxy.flagsRefused]).toEqual([1, []]);
  });

  test("a call whose repeat without beta flags breaks off is settled at its bounds", async () => {
    let calls = 0;
    proxy.host.play.invoke = async () => {
      calls += 1;
      if (calls === 1) throw rejection("invalid beta flag");
      throw new ModelHostError("broken", "", { outcomeUnknown: true });
    };
    const { status, requestId } = await proxy.ask({ headers: unknown });
    expect(status).toBe(502);
    expect(proxy.rowOf(requestId)).toMatchObject({ source: "estimated", usage: { output: 1_000 } });
  });
});

describe("fields that the model host does not know", () => {
  /** Names the first of them, as the model host does. */
  function refuse(...fields: string[]) {
    proxy.host.play.invoke = async ({ body }) => {
      const field = fields.find((name) => Object.hasOwn(JSON.parse(body), name));
      if (field) throw rejection(`${field}: Extra inputs are not permitted`);
      return plainMessage;
    };
  }
  const asked = { body: { ...question, of_today: { a: 1 }, of_tomorrow: true } };

  test("fields that the model host does not know are sent once, and then left out and named, for that model in that region", async () => {
    refuse("of_tomorrow", "of_today");
    for (const calls of [3, 4]) {
      const { status, headers, requestId } = await proxy.ask(asked);
      expect([status, proxy.host.calls.length]).toEqual([200, calls]);
      expect(headers["x-archway-dropped"]?.split(", ").sort()).toEqual(["of_today", "of_tomorrow"]);
      expect(proxy.rowOf(requestId)).toMatchObject({ cost: plainCost, source: "final" });
    }
    expect(proxy.fieldsRefused).toEqual([["of_tomorrow"], ["of_today"]]);
    await proxy.ask({ body: { ...asked.body, model: "claude-opus-5" } });
    expect(proxy.host.calls).toHaveLength(7);
    expect(proxy.spendingOf()).toMatchObject({ inflight: 0, reservations: [] });
  });

  test("fields that the model host does not know are removed wherever they are", async () => {
    proxy.host.play.invoke = async ({ body }) => {
      if (body.includes("of_tomorrow")) throw rejection("messages.0.of_tomorrow: Extra inputs are not permitted");
      return plainMessage;
    };
    const messages = [{ role: "user", content: "a", of_tomorrow: 1 }];
    const { status, headers } = await proxy.ask({ body: { ...question, messages } });
    expect([status, headers["x-archway-dropped"]]).toEqual([200, "messages[].of_tomorrow"]);
  });

  test("fields that the model host does not know are refused by name if leaving them out could change the answer", async () => {
    proxy.host.play.invoke = async () => {
      throw rejection("output_config.format: Extra inputs are not permitted");
    };
    const format = { type: "json_schema", schema: { type: "object" } };
    const { status, json } = await proxy.ask({ body: { ...question, output_config: { format } } });
    expect([status, json.error.message]).toEqual([
      400,
      "output_config.format: is not available here, the model host does not know it",
    ]);
    expect(proxy.host.calls).toHaveLength(1);
    expect(proxy.spendingOf()).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
  });

  test("a refusal that names a field which the request does not have is passed to the caller unchanged", async () => {
    const message = "messages.0.x: Extra inputs are not permitted";
    proxy.host.play.invoke = async () => {
      throw rejection(message);
    };
    const { status, json } = await proxy.ask({ body: { ...question, x: 1 } });
    expect([status, json.error.message]).toEqual([400, message]);
    expect([proxy.host.calls.length, proxy.fieldsRefused]).toEqual([1, []]);
  });

  test.each([false, true])(
    "thinking that is bound to other tools is dropped by the model host (stream: %j)",
    async (stream) => {
      const words =
        'messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block, or set `thinking.block_binding.prefix_mismatch_behavior` to "drop_block".';
      const play = (call: ModelRequest) => {
        if (!call.body.includes("drop_block")) throw rejection(words);
      };
      proxy.host.play.invoke = async (call) => {
        play(call);
        return plainMessage;
      };
      proxy.host.play.stream = async (call) => {
        play(call);
        return streamOf(plainEvents);
      };
      const tools = [{ name: "a", input_schema: {}, eager_input_streaming: true }];
      const changed = await proxy.ask({ body: { ...question, stream, tools } });
      expect([changed.status, changed.headers["x-archway-dropped"], proxy.host.calls[1]?.betas]).toEqual([
        200,
        "tools[].eager_input_streaming, messages[].content[].type=thinking",
        ["thinking-binding-controls-2026-08-01"],
      ]);
      const untouched = await proxy.ask({ body: { ...question, stream } });
      expect([untouched.status, untouched.json.error.message]).toEqual([400, words]);
    },
  );

  test("a call with dozens of invented fields makes at most nine calls to the model host", async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, index) => [`made_up_${index}`, 1]));
    refuse(...Object.keys(many));
    const { status, json } = await proxy.ask({ body: { ...question, ...many } });
    expect([status, json.error.message, proxy.host.calls.length]).toEqual([
      400,
      "made_up_8: Extra inputs are not permitted",
      9,
    ]);
  });
});

describe("what was left out", () => {
  test("no header names left-out fields if nothing was left out", async () => {
    expect((await proxy.ask()).headers).not.toHaveProperty("x-archway-dropped");
  });

  test.each([false, true])(
    "a left-out field is named in a refusal of the model host, too (stream: %j)",
    async (stream) => {
      const refuses = async () => {
        throw rejection("messages: roles must alternate");
      };
      proxy.host.play = { invoke: refuses, stream: refuses };
      const { status, headers } = await proxy.ask({ body: { ...question, stream, speed: "fast" } });
      expect([status, headers["x-archway-dropped"]]).toEqual([400, "speed"]);
    },
  );

  test("a left-out field is named in the refusal if the model host takes too long", async () => {
    const gate = Promise.withResolvers<string>();
    proxy.host.play.invoke = () => gate.promise;
    const answer = proxy.send({ body: { ...question, speed: "fast" } });
    await proxy.time.advance(0);
    await proxy.time.advance(115_000);
    expect([answer.status, answer.headers["x-archway-dropped"]]).toEqual([503, "speed"]);
    gate.resolve(plainMessage);
    await answer.settled;
  });

  test("a left-out field is not named if the platform itself refuses the call", async () => {
    proxy.grants.set(`${tenantId} dev`, aGrant({ monthly_budget_usd: 0 }));
    for (const changes of [{}, { thread: {} }, { max_tokens: "many" }]) {
      const { status, headers } = await proxy.ask({ body: { ...question, speed: "fast", ...changes } });
      expect([400, 429]).toContain(status);
      expect(headers).not.toHaveProperty("x-archway-dropped");
    }
  });

  test("left-out fields are named in at most 2,000 characters", async () => {
    const anthropic_beta = Array.from({ length: 60 }, (_, index) => `files-api-${"x".repeat(80)}-${index}`);
    const { status, headers } = await proxy.ask({ body: { ...question, anthropic_beta } });
    expect([status, headers["x-archway-dropped"]?.length]).toEqual([200, 2_003]);
  });

  test("a left-out field is named in a header that every client can read, whatever the flags contain", async () => {
    const anthropic_beta = ["a\r\nx-injected: 1", "é,ü", ...Array.from({ length: 60 }, () => "x".repeat(200))];
    const { status, headers } = await proxy.ask({ body: { ...question, anthropic_beta, speed: "fast" } });
    expect(status).toBe(200);
    expect(headers["x-archway-dropped"]).toMatch(/^a\?\?x-injected:\?1, \?\?\?, x{100}, speed$/);
  });
});

describe("what cannot be left out", () => {
  test("a thread in the body is refused by name before a reservation, in a form that the vendor's SDK understands", async () => {
    const { status, json } = await proxy.ask({ body: { ...question, thread: { type: "create" } } });
    expect([status, json.error.type]).toEqual([400, "invalid_request_error"]);
    expect(json.error.details).toEqual({ error_code: "thread_unsupported_request", unsupported: ["thread"] });
    expect([proxy.accounting.calls, proxy.host.calls]).toEqual([[], []]);
  });

  test("inference_geo in the body is refused for messages and counts, and the refusal names the header that chooses a region", async () => {
    for (const path of ["/vendor/v1/messages", "/vendor/v1/messages/count_tokens"]) {
      const { status, json } = await proxy.ask({ path, body: { ...question, inference_geo: "us" } });
      expect([status, json.error.details.unsupported]).toEqual([400, ["inference_geo"]]);
      expect(json.error.message).toMatch(/x-platform-region$/);
    }
    expect([proxy.accounting.calls, proxy.host.calls]).toEqual([[], []]);
  });

  test("inference_geo in the body with the value for any place is left out and named", async () => {
    const { status, headers } = await proxy.ask({ body: { ...question, inference_geo: "global" } });
    expect([status, headers["x-archway-dropped"]]).toEqual([200, "inference_geo"]);
    expect(JSON.parse(proxy.host.calls[0]?.body ?? "")).not.toHaveProperty("inference_geo");
  });

  test.each<[unknown]>([[7], [null], [{}], [{ toString: 1 }], [[]]])(
    "is an edit of the context of the type %j: 400 by name",
    async (type) => {
      const edits = [{ type: "compact_20260112" }, { type }];
      const { status, json } = await proxy.ask({ body: { ...question, context_management: { edits } } });
      expect([status, json.error.message]).toEqual([400, "context_management.edits.1.type: must be a string"]);
    },
  );

  test("a header that the model host would refuse is refused with 400 and named", async () => {
    const { status, json } = await proxy.ask({ headers: { "anthropic-beta": "x".repeat(20_000) } });
    expect([status, json.error.message]).toEqual([400, "anthropic-beta: must have at most 8192 characters"]);
    expect(proxy.host.calls).toEqual([]);
  });
});

describe("the reservation", () => {
  async function reserved(body: object, grant = aGrant()) {
    proxy.grants.set(`${tenantId} dev`, grant);
    const gate = Promise.withResolvers<string>();
    proxy.host.play.invoke = () => gate.promise;
    const answer = proxy.send({ body: { ...question, ...body } });
    await proxy.time.advance(0);
    const [reservation] = proxy.spendingOf().reservations;
    gate.resolve(plainMessage);
    await answer.settled;
    if (!reservation) throw new Error("nothing was reserved");
    return reservation;
  }

  test("a message's reservation covers its highest cost: every byte as input, and max_tokens", async () => {
    const { amount, bounds } = await reserved({ stream: false });
    const bytes = Buffer.byteLength(JSON.stringify({ ...question, stream: false })) + 2_048;
    expect(bounds).toEqual({ input: bytes, output: 1_000 });
    // 2.20 USD per million of input, and 11 of output.
    expect(amount).toBe(bytes * 2_200 + 1_000 * 11_000);
  });

  test.each([
    ["five minutes", undefined, 2_750],
    ["an hour", "1h", 4_400],
  ])(
    "a message's reservation has the input at the cache price for %s only if the body uses that cache",
    async (_name, ttl, rate) => {
      const cache_control = { type: "ephemeral", ttl };
      const messages = [{ role: "user", content: [{ type: "text", text: "hi", cache_control }] }];
      const { amount, bounds } = await reserved({ messages });
      expect(amount).toBe(bounds.input * rate + 1_000 * 11_000);
    },
  );

  test("a message's reservation does not exceed the model's own limits", async () => {
    const pdf = { type: "document", source: { type: "base64", media_type: "application/pdf", data: "x" } };
    const messages = [{ role: "user", content: [pdf] }];
    expect((await reserved({ max_tokens: 128_000, messages })).bounds).toEqual({ input: 1_000_000, output: 128_000 });
  });

  test("a message's reservation uses the sent body's size if it is larger than the received one's", async () => {
    const hundred = Array.from({ length: 100 }, (_, index) => `"n${index}":1e20`).join();
    const few = `{"model":"claude-sonnet-5","max_tokens":9,"messages":[{"role":"user","content":"x"}],${hundred}}`;
    proxy.host.play.invoke = async () => {
      throw new ModelHostError("broken", "", { outcomeUnknown: true });
    };
    const { requestId } = await proxy.ask({ body: few });
    // JSON.stringify writes 1e20 in 21 digits.
    expect(proxy.rowOf(requestId)?.usage.input).toBeGreaterThan(2_048 + 100 * 21);
  });

  test("a message's reservation has a lease of 80 seconds", async () => {
    expect((await reserved({})).leaseEndsAt).toBe(proxy.time.clock() + 80_000);
  });

  test("a message's reservation uses the price of its inference profile", async () => {
    const global = await reserved({ model: "claude-fable-5-1" }, aGrant({ allow_global_profiles: true }));
    expect(global).toMatchObject({ profile: "global.anthropic.claude-fable-5-1" });
    expect(global.amount).toBe(global.bounds.input * 10_000 + 1_000 * 50_000);
  });
});

describe("a budget", () => {
  const grantOf = (nano: number) => aGrant({ monthly_budget_usd: Number(formatUsd(nano)) });

  test("a budget refuses a serial caller with a large max_tokens only when it is spent", async () => {
    proxy.grants.set(`${tenantId} dev`, grantOf(2 * plainCost + 1));
    const body = { ...question, max_tokens: 64_000 };
    expect((await proxy.ask({ body })).status).toBe(200);
    expect((await proxy.ask({ body })).status).toBe(200);
    expect((await proxy.ask({ body })).status).toBe(200);
    const { status, json } = await proxy.ask({ body });
    expect([status, json.error.type]).toEqual([429, "billing_error"]);
    expect(proxy.spendingOf().spent).toBe(3 * plainCost);
  });

  test("a budget that is mostly spent is announced in a header", async () => {
    proxy.grants.set(`${tenantId} dev`, grantOf(plainCost));
    expect((await proxy.ask()).headers).not.toHaveProperty("anthropic-ratelimit-unified-overage-utilization");
    proxy = openProxy();
    proxy.grants.set(`${tenantId} dev`, grantOf(plainCost + Math.floor(plainCost / 4)));
    await proxy.ask();
    expect((await proxy.ask()).headers["anthropic-ratelimit-unified-overage-surpassed-threshold"]).toBe("0.75");
  });

  test("a budget lowers max_tokens in the request to what is left beside other calls, and a header says so", async () => {
    proxy.grants.set(`${tenantId} dev`, grantOf(nanoUsdPerUsd));
    const gate = Promise.withResolvers<string>();
    proxy.host.play.invoke = () => gate.promise;
    const body = { ...question, max_tokens: 64_000 };
    const first = proxy.send({ body });
    await proxy.time.advance(0);
    const second = proxy.send({ body });
    await proxy.time.advance(0);
    gate.resolve(plainMessage);
    await Promise.all([first.settled, second.settled]);
    expect(first.headers).not.toHaveProperty("x-archway-max-tokens");
    expect(second.headers["x-archway-max-tokens"]).toBe("8192");
    expect(proxy.host.calls.map(({ body }) => JSON.parse(body).max_tokens)).toEqual([64_000, 8_192]);
    expect(proxy.spendingOf()).toMatchObject({ spent: 2 * plainCost, committed: 2 * plainCost, inflight: 0 });
  });

  test("max_tokens above what the model host allows is lowered in the request and in the reservation, and a header says so", async () => {
    const gate = Promise.withResolvers<string>();
    proxy.host.play.invoke = () => gate.promise;
    const answer = proxy.send({ body: { ...question, model: "claude-sonnet-4-6", max_tokens: 128_000 } });
    await proxy.time.advance(0);
    expect(proxy.spendingOf().reservations[0]?.bounds.output).toBe(64_000);
    gate.resolve(plainMessage);
    await answer.settled;
    expect([answer.status, answer.headers["x-archway-max-tokens"]]).toEqual([200, "64000"]);
    expect(proxy.host.calls.map(({ body }) => JSON.parse(body).max_tokens)).toEqual([64_000]);
  });

  test("a budget's reservation is lowered during a stream whose input costs less, and settled afterwards", async () => {
    proxy.grants.set(`${tenantId} dev`, grantOf(nanoUsdPerUsd / 10));
    const body = { ...question, stream: true, messages: [{ role: "user", content: "x".repeat(20_000) }] };
    const { requestId } = await proxy.ask({ body });
    expect(proxy.accounting.calls).toEqual(["admit", "change", "putIfAbsent", "settle"]);
    expect(proxy.rowOf(requestId)).toMatchObject({ version: 1, source: "final" });
    expect(proxy.spendingOf()).toMatchObject({ inflight: 0, reservations: [] });
  });

  test("a call that fits into the budget makes one write before its answer and two after it", async () => {
    await proxy.ask({ body: { ...question, stream: true } });
    expect(proxy.accounting.calls).toEqual(["admit", "putIfAbsent", "settle"]);
  });

  test("a caller who is refused by the budget only because of other calls is told to retry soon", async () => {
    proxy.grants.set(`${tenantId} dev`, grantOf(nanoUsdPerUsd / 100));
    const gate = Promise.withResolvers<string>();
    proxy.host.play.invoke = () => gate.promise;
    const first = proxy.send();
    await proxy.time.advance(0);
    const { status, headers, json } = await proxy.ask();
    expect([status, json.error.details.error_code, headers["retry-after"]]).toEqual([429, "budget_reserved", "2"]);
    gate.resolve(plainMessage);
    await first.settled;
    expect(first.status).toBe(200);
  });
});

describe("a tenant on free credit", () => {
  beforeEach(async () => {
    proxy.tenants.set("acme", aTenant({ has_payment_method: false }));
    await proxy.accounting.grant(tenantId);
  });

  test("free credit pays for tokens of all kinds", async () => {
    await proxy.ask();
    expect(await proxy.accounting.creditOf(tenantId)).toMatchObject({ spent: 120, committed: 120 });
  });

  test("a tenant whose free credit is used up is refused, with advice", async () => {
    proxy.accounting.grant(tenantId, { spent: 10_000, committed: 10_000 });
    const { status, json, headers } = await proxy.ask();
    expect([status, json.error.type, headers["x-should-retry"]]).toEqual([429, "billing_error", "false"]);
    expect(json.error.message).toContain("payment method");
  });
});

describe("if the store is down at the end", () => {
  const outage = () => new Refusal("store_unavailable", "down");

  test.each(["putIfAbsent", "settle"] as const)(
    "during an outage of the store at %s the answer is complete, and its usage goes to the queue",
    async (call) => {
      proxy.accounting.disturb = (made) => {
        if (made === call) throw outage();
      };
      const { status, text, requestId } = await proxy.ask();
      expect([status, text]).toEqual([200, plainMessage]);
      expect(proxy.unsettled).toEqual([
        expect.objectContaining({
          key: { tenantId, callerId: "dev", month: "2026-11" },
          reservation: expect.objectContaining({ requestId }),
          outcome: expect.objectContaining({ cost: plainCost, source: "final" }),
        }),
      ]);
      expect(proxy.lines).toEqual([]);
      expect(proxy.finished).toHaveLength(1);
    },
  );
});

test("a model without a price is refused, and never free", async () => {
  const [first, ...rest] = catalogData.models;
  if (!first) throw new Error("no model");
  const prices = first.prices.map((price) => ({ ...price, from: "2026-12-01" }));
  proxy = openProxy({ catalog: parseCatalog({ models: [{ ...first, prices }, ...rest] }) });
  const { status, json } = await proxy.ask({ body: { ...question, model: first.id } });
  expect([status, json.error.details.error_code]).toEqual([404, "model_unknown"]);
  expect(json.error.message).toContain(`The model ${first.id} has no price here at present.`);
  const list = await proxy.ask({ method: "GET", path: "/vendor/v1/models", query: { limit: "1000" } });
  expect(list.json.data.map(({ id }: { id: string }) => id)).toEqual(expect.not.arrayContaining([first.id]));
  expect(proxy.host.calls).toEqual([]);
  expect(proxy.spendingOf().inflight).toBe(0);
});

test("a model is refused after its last day with the name of its successor, and the list does not have it", async () => {
  const models = catalogData.models.map((model) =>
    model.id === "claude-opus-4-5" ? { ...model, last_day: "2026-11-01" } : model,
  );
  proxy = openProxy({ catalog: parseCatalog({ models }) });
  const { status, json } = await proxy.ask({ body: { ...question, model: "claude-opus-4-5" } });
  expect([status, json.error.details.error_code]).toEqual([404, "model_unknown"]);
  expect(json.error.message).toMatch(
    /^The model claude-opus-4-5 is served no longer: its last day was 2026-11-01\. Use claude-opus-5-5 instead\. Allowed: /,
  );
  expect(proxy.host.calls).toEqual([]);
});

test("the list of models tells the last day of a model and its successor", async () => {
  const { json } = await proxy.ask({ method: "GET", path: "/vendor/v1/models/claude-opus-4-5" });
  expect(json).toMatchObject({ vendor_last_day: "2027-01-22", successor: "claude-opus-5-5" });
  expect(json).not.toHaveProperty("last_day");
});

describe("hostile requests", () => {
  test("hostile requests that are huge, deep or strange are refused in the error shape, and nothing is settled", async () => {
    const deep = `{"model":"claude-sonnet-5","max_tokens":1,"messages":[${"[".repeat(100_000)}${"]".repeat(100_000)}]}`;
    for (const [body, status] of [
      ["x".repeat(6_300_000), 413],
      [deep, 400],
      ["", 400],
      ["\u0000", 400],
      ['"text"', 400],
      [JSON.stringify({ ...question, max_tokens: "1000" }), 400],
      [JSON.stringify({ ...question, max_tokens: -1 }), 400],
      [JSON.stringify({ ...question, max_tokens: 2 ** 60 }), 400],
      [JSON.stringify({ ...question, stream: "yes" }), 400],
      [JSON.stringify({ ...question, model: "__proto__" }), 404],
      [JSON.stringify({ ...question, model: "x".repeat(100_000) }), 404],
    ] as const) {
      const answer = await proxy.ask({ body });
      expect(answer.status).toBe(status);
      expect(answer.json).toMatchObject({ type: "error", error: { type: expect.any(String) } });
      expect(answer.text.length).toBeLessThan(2_000);
    }
    expect(proxy.host.calls).toEqual([]);
    expect(proxy.accounting.rows.size).toBe(0);
  });

  test("hostile requests of any kind never cause a 500, and never leave anything reserved", async () => {
    const name = fc.constantFrom(
      "authorization",
      "x-api-key",
      "anthropic-beta",
      "anthropic-version",
      "content-encoding",
      "content-type",
      "origin",
      "x-platform-region",
      "x-code-session-id",
      "x-viewer-host",
    );
    const value = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.constant("x".repeat(20_000)),
      fc.constantFrom("", "__proto__", "Bearer "),
    );
    const field = fc.constantFrom(
      "model",
      "max_tokens",
      "messages",
      "stream",
      "tools",
      "system",
      "__proto__",
      "anthropic_beta",
    );
    const body = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.jsonValue().map((json) => JSON.stringify(json)),
      fc
        .array(fc.tuple(field, fc.jsonValue()))
        .map((pairs) => JSON.stringify({ ...question, ...Object.fromEntries(pairs) })),
    );
    const method = fc.constantFrom("GET", "POST", "PUT", "HEAD", "OPTIONS", "DELETE", "PATCH");
    const path = fc.constantFrom(
      ...["/vendor/v1/messages", "/vendor/v1/messages/count_tokens", "/vendor/v1/models", "/vendor/v1/models/%E0%A4%A"],
      ...["/vendor/v1/messages/batches/x", "/", "/vendor/v1", "//vendor/v1/messages", "/vendor/v1/models/"],
    );
    const query = fc.dictionary(fc.constantFrom("limit", "after_id", "beta", "x"), fc.string());
    const request = fc.record({
      method,
      path,
      body,
      query,
      headers: fc.array(fc.tuple(name, value)),
      base64: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(request, async ({ headers, ...rest }) => {
        const proxy = openProxy();
        const answer = await proxy.ask({ ...rest, headers: Object.fromEntries(headers) });
        const { status = 0, text } = answer;
        expect(status).not.toBe(500);
        expect(text).not.toBe("");
        if (status >= 400) {
          expect(answer.json).toMatchObject({
            type: "error",
            error: { type: expect.any(String), message: expect.any(String) },
          });
        }
        expect(proxy.spendingOf()).toMatchObject({ inflight: 0, reservations: [] });
        expect(({} as Record<string, unknown>).polluted).toBeUndefined();
      }),
      { numRuns: sizes.proxyRequests },
    );
  });
});

describe("a workspace of whose calls too much was never explained", () => {
  const body = { ...question, model: "claude-sonnet-5", max_tokens: 64_000 };
  const sent = () => JSON.parse(proxy.host.calls.at(-1)?.body ?? "");
  const mark = (unexplained_month: string) => proxy.tenants.set("acme", aTenant({ tier: "pro", unexplained_month }));

  test("a workspace with too much unexplained usage gets whole answers of at most 8,192 tokens until the month ends, and a header says so", async () => {
    mark("2026-11");
    const { status, headers } = await proxy.ask({ body });
    expect([status, headers["x-archway-max-tokens"], sent().max_tokens]).toEqual([200, "8192", 8_192]);
  });

  test("a workspace's whole answers are not shortened because of another month's unexplained usage", async () => {
    mark("2026-10");
    expect((await proxy.ask({ body })).headers["x-archway-max-tokens"]).toBeUndefined();
  });

  test("a workspace with too much unexplained usage keeps its streams, shorter answers, and a thinking budget below the answer's limit", async () => {
    mark("2026-11");
    await proxy.ask({ body: { ...body, stream: true } });
    expect(sent().max_tokens).toBe(64_000);
    await proxy.ask({ body: question });
    expect(sent().max_tokens).toBe(question.max_tokens);
    await proxy.ask({ body: { ...body, thinking: { type: "enabled", budget_tokens: 32_000 } } });
    expect(sent()).toMatchObject({ max_tokens: 8_192, thinking: { budget_tokens: 4_096 } });
  });

  test("a workspace's whole answers are not shortened if the model host's log explains them", async () => {
    proxy = openProxy({}, { logsInvocations: true });
    mark("2026-11");
    await proxy.ask({ body });
    expect(sent().max_tokens).toBe(64_000);
  });
});
