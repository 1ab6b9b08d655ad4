// What the gateway's messages meet on their way: members pass, others are told why, and each call of a tool leaves a line.
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { ToolCall } from "../../../domain/tools/tool-call.ts";
import type { ToolRules } from "../../../domain/tools/tool-rules.ts";
import { type Intercepted, interceptorHandler } from "../../../handlers/interceptor/handler.ts";

const tokenOf = (claims: object) => `Bearer eyJ.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.signature`;
const ann = { Authorization: tokenOf({ sub: "ann", tenant_id: "t1" }) };
const secret = "s3cret-value";
const call = {
  jsonrpc: "2.0",
  id: 7,
  method: "tools/call",
  params: { name: "pets___feed", arguments: { food: secret, pet: 1 } },
};
const list = { jsonrpc: "2.0", id: 8, method: "tools/list" };

let now: number;
let lines: ToolCall[];
let reads: number;
let store: {
  membership?: object;
  tenant?: object;
  isDown?: boolean;
  signedOutAt?: number;
  rules?: Record<string, ToolRules>;
};
let intercept: ReturnType<typeof interceptorHandler>;

beforeEach(() => {
  now = 1_000_000;
  lines = [];
  reads = 0;
  store = { membership: { status: "active", tenant_role: "developer" }, tenant: { status: "active" } };
  const read = (value: object | undefined) => {
    reads++;
    if (store.isDown) throw new Error("down");
    return value as never;
  };
  intercept = interceptorHandler({
    users: { membership: async () => read(store.membership) },
    tenants: { get: async () => read(store.tenant) },
    signOuts: { of: async () => store.signedOutAt },
    toolRules: { of: async () => new Map(Object.entries(store.rules ?? {})) },
    toolCalls: { write: (line) => lines.push(line) },
    clock: () => now,
    log: { info: () => {}, problem: () => {} },
  });
});

const ask = (body: unknown, headers: Record<string, string> | null = ann) =>
  intercept({ mcp: { gatewayRequest: { headers, body }, gatewayResponse: null } });
const answer = (body: unknown, asked: unknown = call, statusCode = 200) =>
  intercept({ mcp: { gatewayRequest: { headers: ann, body: asked }, gatewayResponse: { statusCode, body } } });
const passed = (body: unknown): Intercepted => ({
  interceptorOutputVersion: "1.0",
  mcp: { transformedGatewayRequest: { body } },
});
const textOf = async (body: unknown = call) => {
  const { mcp } = await ask(body);
  return "transformedGatewayResponse" in mcp ? JSON.stringify(mcp.transformedGatewayResponse.body) : "passed";
};

describe("a member's messages", () => {
  test.each([
    ["a call", call],
    ["a list", list],
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }],
    ["a batch", [call, list]],
    ["no body", null],
    ["server/discover", { jsonrpc: "2.0", id: "d", method: "server/discover", params: { _meta: {} } }],
  ])("a member's message passes the interceptor unchanged: %s", async (_, body) =>
    expect(await ask(body)).toEqual(passed(body)),
  );

  test("a member's messages pass the interceptor with any spelling of the header's name", async () => {
    expect(await ask(call, { authorization: ann.Authorization })).toEqual(passed(call));
  });

  test("a member's messages cost the interceptor two reads in half a minute", async () => {
    for (let times = 0; times < 10; times++) await ask(call);
    expect(reads).toBe(2);
    now += 30_000;
    await ask(call);
    expect(reads).toBe(4);
  });
});

describe("others are told why:", () => {
  test.each([
    ["somebody who was removed", { membership: { status: "removed" } }, "not a member"],
    ["somebody who was invited and never came", { membership: {} }, "not a member"],
    ["a stranger", { membership: undefined }, "not a member"],
    ["a suspended workspace", { tenant: { status: "suspended" } }, "suspended"],
    ["a deleted workspace", { tenant: { status: "deleted" } }, "deleted"],
    ["a purged workspace", { tenant: undefined }, "deleted"],
  ])("a tool call that is not allowed is refused with the reason: %s", async (_, change, words) => {
    Object.assign(store, change);
    const { mcp } = await ask(call);
    expect(mcp).toEqual({
      transformedGatewayResponse: {
        statusCode: 200,
        body: {
          jsonrpc: "2.0",
          id: 7,
          result: { isError: true, content: [{ type: "text", text: expect.stringContaining(words) }] },
        },
      },
    });
    expect(lines).toMatchObject([
      { tenant_id: "t1", caller_id: "ann", target: "pets", tool: "feed", outcome: "refused" },
    ]);
  });

  test("a tool call is refused after the person signed out everywhere, and accepted after a later sign-in", async () => {
    store.signedOutAt = 500_000;
    const tokenAt = (auth_time: number) => ({ authorization: tokenOf({ sub: "ann", tenant_id: "t1", auth_time }) });
    expect(JSON.stringify(await ask(call, tokenAt(499)))).toContain("sign-in was ended");
    expect(JSON.stringify(await ask(call))).toContain("sign-in was ended");
    expect(await ask(call, tokenAt(500))).toEqual(passed(call));
  });

  test("a refused request that is not a tool call gets an error, a notification no answer, and each message of a batch its own", async () => {
    store.membership = undefined as never;
    expect((await ask(list)).mcp).toMatchObject({
      transformedGatewayResponse: { statusCode: 200, body: { id: 8, error: { code: -32_001 } } },
    });
    expect((await ask({ jsonrpc: "2.0", method: "tools/call" })).mcp).toEqual({
      transformedGatewayResponse: { statusCode: 202, body: {} },
    });
    expect((await ask([call, list])).mcp).toMatchObject({
      transformedGatewayResponse: {
        body: [
          { id: 7, result: { isError: true } },
          { id: 8, error: {} },
        ],
      },
    });
    expect((await ask(null)).mcp).toMatchObject({ transformedGatewayResponse: { statusCode: 403 } });
  });

  test.each([
    ["no header", null],
    ["no token", {}],
    ["a token without a workspace", { Authorization: tokenOf({ sub: "ann" }) }],
    ["what is no token", { Authorization: "Bearer x" }],
  ])("a refused tool call is answered with the reason: %s", async (_, headers) => {
    expect((await ask(call, headers)).mcp).toMatchObject({ transformedGatewayResponse: { body: { id: 7 } } });
  });
});

describe("a change counts after a minute at the latest", () => {
  test("a changed membership counts for tools within a minute", async () => {
    expect(await textOf()).toBe("passed");
    store.membership = { status: "removed" };
    now += 60_000;
    expect(await textOf()).toContain("not a member");
    store.membership = { status: "active" };
    now += 60_000;
    expect(await textOf()).toBe("passed");
  });

  test("while the store is down only rights that were read less than a minute ago count for tools", async () => {
    expect(await textOf()).toBe("passed");
    store.isDown = true;
    now += 59_999;
    expect(await textOf()).toBe("passed");
    now += 1;
    expect(await textOf()).toContain("cannot look up your membership");
    store.isDown = false;
    expect(await textOf()).toBe("passed");
  });

  test("rights that were read before the store went down do not stay valid longer by being used", async () => {
    await textOf();
    store.isDown = true;
    for (let second = 0; second < 59; second++) {
      now += 1_000;
      expect(await textOf()).toBe("passed");
    }
    now += 1_000;
    expect(await textOf()).toContain("cannot look up");
  });
});

describe("the line of a call", () => {
  test("the log line of a tool call has the names of arguments without values, and the duration", async () => {
    await ask(call);
    now += 250;
    const body = { jsonrpc: "2.0", id: 7, result: { content: [{ type: "text", text: secret }] } };
    expect(await answer(body)).toEqual({
      interceptorOutputVersion: "1.0",
      mcp: { transformedGatewayResponse: { statusCode: 200, body } },
    });
    expect(lines).toEqual([
      {
        tenant_id: "t1",
        caller_id: "ann",
        target: "pets",
        tool: "feed",
        arguments: ["food", "pet"],
        outcome: "ok",
        ms: 250,
      },
    ]);
    expect(JSON.stringify(lines)).not.toContain(secret);
    expect(JSON.stringify(lines)).not.toContain("eyJ");
  });

  test.each([
    ["tool_error", { id: 7, result: { isError: true } }, 200],
    ["failed", { id: 7, error: { code: 1 } }, 200],
    ["failed", null, 502],
    ["ok", { id: 7, result: {} }, 200],
  ])("the log line of a tool call says %s", async (outcome, body, statusCode) => {
    await answer(body, call, statusCode);
    expect(lines).toMatchObject([{ outcome }]);
  });

  test("the log line of a tool call has no duration if another instance saw the request", async () => {
    await answer({ id: 7, result: {} });
    expect(lines[0]).not.toHaveProperty("ms");
  });

  test("the log has one line for each tool call of a batch, and none for other messages", async () => {
    const other = { ...call, id: 9, params: { name: "x_amz_bedrock_agentcore_search" } };
    await answer(
      [
        { id: 9, result: { isError: true } },
        { id: 7, result: {} },
      ],
      [call, list, other],
    );
    expect(lines.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual([
      "feed ok",
      "x_amz_bedrock_agentcore_search tool_error",
    ]);
    await answer({ id: 8, result: { tools: [] } }, list);
    expect(lines).toHaveLength(2);
  });

  test("the log line of a tool call has shortened and escaped names, which cannot break the line", async () => {
    const name = `pets___${"a".repeat(200)}`;
    const names = Object.fromEntries(Array.from({ length: 80 }, (_, place) => [`n${place}\n"`, 1]));
    await answer({ id: 7 }, { ...call, params: { name, arguments: names } });
    expect(lines[0]?.tool.length).toBeLessThanOrEqual(128);
    expect(lines[0]?.arguments).toHaveLength(50);
    expect(lines[0]?.arguments[0]).toBe("n0??");
  });
});

test("a message that the interceptor cannot judge is refused, whatever its form", async () => {
  for (const body of ["text", 5, [null], [[]], { method: 1, id: {} }]) {
    store.membership = undefined as never;
    expect((await ask(body)).mcp).toHaveProperty("transformedGatewayResponse");
  }
});

describe("tools that are not for everybody", () => {
  const tools = ["pets___feed", "pets___adopt", "pets___sell", "notes___read"].map((name) => ({ name }));
  const named = (name: string) => ({ ...call, params: { name, arguments: {} } });
  const shown = async (result: object = { tools }) => {
    const { mcp } = await answer({ jsonrpc: "2.0", id: 8, result }, list);
    return "transformedGatewayResponse" in mcp
      ? (mcp.transformedGatewayResponse.body as { result: typeof result }).result
      : {};
  };

  beforeEach(() => {
    store.rules = { pets: { offered: ["feed", "sell"], owners_only: ["sell"] } };
  });

  test("tools with rules cannot be called by a name that is not a string", async () => {
    const odd = { toString: 1, valueOf: 1 };
    const message = { ...call, params: { name: odd, arguments: {} } };
    expect(await ask(message)).toEqual(passed(message));
    expect(await shown({ tools: [{ name: odd }, { name: "pets___feed" }] })).toEqual({
      tools: [{ name: "pets___feed" }],
    });
  });

  test("tools that are not offered are neither listed nor called; tools of another integration still are", async () => {
    expect(await shown()).toEqual({ tools: [{ name: "pets___feed" }, { name: "notes___read" }] });
    expect(await ask(named("pets___feed"))).toEqual(passed(named("pets___feed")));
    expect(await ask(named("notes___read"))).toEqual(passed(named("notes___read")));
    expect(await textOf(named("pets___adopt"))).toContain("does not offer this tool");
    expect(await textOf(named("pets___sell"))).toContain("Only owners");
    expect(lines.map(({ tool, outcome }) => `${tool} ${outcome}`)).toEqual(["adopt refused", "sell refused"]);
  });

  test("tools for owners only are listed for owners and called by them, if they are offered", async () => {
    store.membership = { status: "active", tenant_role: "owner" };
    expect(await shown()).toEqual({ tools: [tools[0], tools[2], tools[3]] });
    expect(await textOf(named("pets___sell"))).toBe("passed");
    expect(await textOf(named("pets___adopt"))).toContain("does not offer");
  });

  test("tools with rules are judged by the name that was sent, and not by the name in the log", async () => {
    const long = "a".repeat(200);
    store.rules = { pets: { owners_only: ["give:away", long] } };
    expect(await textOf(named("pets___give:away"))).toContain("Only owners");
    expect(await textOf(named(`pets___${long}`))).toContain("Only owners");
  });

  test("tools that are not offered are not called in a batch together with an allowed tool", async () => {
    expect(await textOf([named("pets___feed"), named("pets___sell")])).toContain("Only owners");
  });

  test("a list of tools with rules is marked as personal, and otherwise unchanged", async () => {
    const given = { tools, nextCursor: "2", ttlMs: 60_000, cacheScope: "public" };
    expect(await shown(given)).toMatchObject({ nextCursor: "2", ttlMs: 60_000, cacheScope: "private" });
  });

  test("tools with rules are removed only from a batch's lists, and an error is not changed", async () => {
    const answers = [
      { id: 7, result: { content: [] } },
      { id: 8, result: { tools } },
    ];
    const { mcp } = await answer(answers, [call, list]);
    expect(JSON.stringify(mcp)).toContain('{"id":7,"result":{"content":[]}}');
    expect(JSON.stringify(mcp)).not.toContain("pets___sell");
    const failed = { jsonrpc: "2.0", id: 8, error: { code: -32603, message: "no" } };
    expect(JSON.stringify(await answer(failed, list))).toContain(JSON.stringify(failed));
  });

  test("tools with rules are not shown while their rules cannot be read", async () => {
    store.isDown = true;
    expect(await shown()).toEqual({ tools: [] });
  });

  test("changed rules of tools reach connected clients within half a minute", async () => {
    expect(await textOf(named("pets___sell"))).toContain("Only owners");
    store.rules = {};
    now += 30_000;
    expect(await textOf(named("pets___sell"))).toBe("passed");
  });
});
