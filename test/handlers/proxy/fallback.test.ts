// A region that is short: where the caller's calls go, what they reserve and cost there, and what the caller's item remembers.
import { marshall } from "@aws-sdk/util-dynamodb";
import { beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { exceptionNamed, rejection, withoutSession } from "../../../adapters/bedrock/failures.ts";
import { spendingRecord } from "../../../adapters/dynamodb/budget/spending.record.ts";
import type { Grant } from "../../../domain/access/grant.ts";
import { graceMs, leaseMs, renewalMs } from "../../../domain/budget/reservation.ts";
import { hourMs, minuteMs } from "../../../domain/kernel/period.ts";
import { type ModelCall, ModelHostError } from "../../../domain/messages/model-host.ts";
import { aGrant, aTenant, tenantId } from "../../support/accounting/admissions.ts";
import { itemBytes } from "../../support/dynamodb/item-bytes.ts";
import { settle } from "../../support/fake-time.ts";
import { playGated, streamOf } from "../../support/messages/played-host.ts";
import { randomRefusals, takeOrRefuse } from "../../support/messages/refusing-host.ts";
import {
  openProxy,
  plainCost,
  plainEvents,
  plainMessage,
  proxyToken,
  question,
  type TestProxy,
} from "../../support/proxy.ts";
import { sizes } from "../../support/sizes.ts";

const [own, second] = ["eu-central-1", "eu-central-2"] as const;
const grant = (changes: Partial<Grant> = {}) => aGrant({ default_region: own, fallback_region: second, ...changes });
const noRoom = () => exceptionNamed("ThrottlingException", "Too many requests", 429);
const stream = { ...question, stream: true };

let proxy: TestProxy;
/** The regions in which the model host has no room. */
let short: Set<string>;
beforeEach(() => {
  proxy = openProxy();
  short = new Set([own]);
  allow(grant());
  const roomIn = ({ region }: ModelCall) => {
    if (short.has(region)) throw noRoom();
  };
  proxy.host.play = {
    stream: async (call) => {
      roomIn(call);
      return streamOf(plainEvents);
    },
    invoke: async (call) => {
      roomIn(call);
      return plainMessage;
    },
  };
});

const allow = (allowed: Grant, callerId = "dev") => proxy.grants.set(`${tenantId} ${callerId}`, allowed);
const called = () => proxy.host.calls.map(({ region }) => region);
const fallbacks = () => proxy.spendingOf().fallbacks ?? [];

/** Asks, and says the status, the region that the answer names, and the regions that were called for it. */
async function asked(request: Parameters<TestProxy["ask"]>[0] = {}) {
  const before = called().length;
  const { status, headers } = await proxy.ask(request);
  return [status, headers["x-archway-region"], ...called().slice(before)];
}

describe("a call whose region is short", () => {
  test.each([stream, question])(
    "a call whose region is short is answered by the second region, which the answer names",
    async (body) => {
      const answer = await proxy.ask({ body });
      expect([answer.status, answer.headers["x-archway-region"], called()]).toEqual([200, second, [own, second]]);
      expect(proxy.rowOf(answer.requestId)).toMatchObject({ region: second, cost: plainCost, source: "final" });
      expect(proxy.spendingOf()).toMatchObject({ spent: plainCost, committed: plainCost, inflight: 0 });
      expect([proxy.regionsShort, proxy.finished.map(({ facts }) => facts.region)]).toEqual([[own], [second]]);
      expect(proxy.refused).toEqual([]);
    },
  );

  test("a call whose region is short makes no more calls to the store than any other, nor do those after it", async () => {
    for (const room of [[own], [own], []]) {
      short = new Set(room);
      proxy.accounting.calls.length = 0;
      await proxy.ask({ body: stream });
      expect(proxy.accounting.calls).toEqual(["admit", "putIfAbsent", "settle"]);
    }
    expect(called()).toEqual([own, second, second, second]);
  });

  test.each([
    ["ThrottlingException", 429],
    ["ServiceQuotaExceededException", 400],
    ["ModelNotReadyException", 429],
    ["ServiceUnavailableException", 503],
  ])("a region is short if its model host answers %s", async (name, status) => {
    proxy.host.play.invoke = async ({ region }) => {
      if (region === own) throw exceptionNamed(name, "", status);
      return plainMessage;
    };
    expect(await asked()).toEqual([200, second, own, second]);
  });

  test.each<[string, Error]>([
    ["the model host fails", exceptionNamed("InternalServerException", "", 500)],
    ["the model host takes too long", exceptionNamed("ModelTimeoutException", "", 408)],
    ["the model host denies the call", exceptionNamed("AccessDeniedException", "", 403)],
    ["the model host rejects the request", rejection("messages: must alternate")],
    [
      "the role of the model host cannot be assumed",
      withoutSession(Object.assign(new Error(), { name: "ThrottlingException" })),
    ],
    ["the connection breaks", new ModelHostError("broken", "", { outcomeUnknown: true })],
  ])("a region is not short if %s", async (_what, error) => {
    proxy.host.play.invoke = async () => {
      throw error;
    };
    const [status, region, ...regions] = await asked();
    expect([status === 200, region, regions]).toEqual([false, undefined, [own]]);
  });

  test("a call keeps its region and its refusal where the grant allows no second region", async () => {
    allow(aGrant({ default_region: own }));
    const answer = await proxy.ask();
    expect([answer.status, answer.headers["retry-after"], called()]).toEqual([503, "5", [own]]);
    expect(answer.headers).not.toHaveProperty("x-archway-region");
  });

  test.each([own, "us-east-1"])("a region that the caller named is never replaced: %s", async (region) => {
    short = new Set([own, "us-east-1"]);
    expect(await asked({ headers: { "x-platform-region": region } })).toEqual([503, undefined, region]);
  });

  test("a call keeps its region where the second one does not serve the model", async () => {
    expect(await asked({ body: { ...question, model: "claude-sonnet-4-6" } })).toEqual([503, undefined, own]);
  });

  test("a call keeps its region where only a global profile serves the model in the second one, which the grant does not allow", async () => {
    const american = { default_region: "us-east-1", fallback_region: own } as const;
    const body = { ...question, model: "claude-fable-5-1" };
    short = new Set(["us-east-1"]);
    allow(grant(american));
    expect(await asked({ body })).toEqual([503, undefined, "us-east-1"]);
    await proxy.time.advance(minuteMs);
    allow(grant({ ...american, allow_global_profiles: true }));
    expect(await asked({ body })).toEqual([200, own, "us-east-1", own]);
  });

  test("a call keeps its geography unless the grant allows it to leave", async () => {
    allow(grant({ fallback_region: "us-east-1" }));
    expect(await asked()).toEqual([503, undefined, own]);
  });

  test("a call is refused like any other if both regions are short, and nothing is remembered", async () => {
    short = new Set([own, second]);
    for (const _ of [1, 2]) {
      const answer = await proxy.ask({ body: stream });
      expect([answer.status, answer.headers["retry-after"]]).toEqual([503, "5"]);
    }
    expect(called()).toEqual([own, second, own, second]);
    expect([fallbacks(), proxy.spendingOf()]).toMatchObject([[], { spent: 0, committed: 0, inflight: 0 }]);
  });

  test("a stream that has its status is not sent to a second region", async () => {
    const host = playGated(proxy.host);
    const answer = proxy.send({ body: stream });
    await settle();
    await proxy.time.advance(15_000);
    await host.fail(noRoom());
    await answer.settled;
    expect([answer.status, called()]).toEqual([200, [own]]);
    expect(answer.text).toContain("overloaded_error");
  });

  test("a stream that is short of room 14 seconds after the call has its status a second later, and names the second region", async () => {
    const hosts = { [own]: Promise.withResolvers<never>(), [second]: Promise.withResolvers<string[]>() };
    proxy.host.play.stream = async ({ region }) => streamOf(await hosts[region as typeof own | typeof second].promise);
    const answer = proxy.send({ body: stream });
    await settle();
    await proxy.time.advance(14_000);
    hosts[own].reject(noRoom());
    await settle();
    expect([answer.status, called()]).toEqual([undefined, [own, second]]);
    await proxy.time.advance(1_000);
    expect([answer.status, answer.headers["x-archway-region"]]).toEqual([200, second]);
    hosts[second].resolve(plainEvents);
    await answer.settled;
    expect(answer.text).toContain("message_stop");
  });

  test("a whole answer that has begun is not begun again in a second region", async () => {
    proxy.host.play.invoke = async (_call, _signal, observe) => {
      observe(JSON.parse(plainEvents[0] ?? ""));
      throw noRoom();
    };
    expect(await asked({ body: { ...question, max_tokens: 10_000 } })).toEqual([503, undefined, own]);
    expect(fallbacks()).toEqual([]);
  });

  test("an answer that broke off in the second region is billed there, and further calls go there", async () => {
    proxy.host.play.stream = async ({ region }) => {
      if (region === own) throw noRoom();
      return streamOf(plainEvents.slice(0, 3));
    };
    const { requestId } = await proxy.ask({ body: stream });
    expect(proxy.rowOf(requestId)).toMatchObject({ region: second });
    expect(await asked({ body: stream })).toEqual([200, second, second]);
  });

  test("a refusal of the second region is the call's, and nothing is remembered", async () => {
    proxy.host.play.invoke = async ({ region }) => {
      throw region === own ? noRoom() : rejection("messages: must alternate");
    };
    expect(await asked()).toEqual([400, second, own, second]);
    expect(fallbacks()).toEqual([]);
  });

  test("counting tokens keeps its place", async () => {
    proxy.host.play.countTokens = async () => {
      throw noRoom();
    };
    const { max_tokens: _maxTokens, ...body } = question;
    expect(await asked({ path: "/vendor/v1/messages/count_tokens", body })).toEqual([503, undefined, "eu-west-1"]);
  });

  test("free credit pays for a call in the second region, and further calls go there", async () => {
    proxy.tenants.set("acme", aTenant({ has_payment_method: false }));
    proxy.accounting.grant(tenantId);
    expect(await asked()).toEqual([200, second, own, second]);
    expect(await asked()).toEqual([200, second, second]);
  });
});

describe("the hour after a region was short", () => {
  test("a caller's calls of the model go to the second region for an hour, and then back", async () => {
    await proxy.time.advance(20_000);
    await asked();
    short.clear();
    await proxy.time.advance(hourMs - 20_000 - 1);
    expect(await asked()).toEqual([200, second, second]);
    await proxy.time.advance(1);
    expect(await asked()).toEqual([200, undefined, own]);
  });

  test("a later call in the second region does not prolong the hour", async () => {
    await asked();
    await proxy.time.advance(hourMs / 2);
    await asked();
    await proxy.time.advance(hourMs / 2);
    expect(await asked()).toEqual([200, second, own, second]);
  });

  test("a call does not go back to its own region while the second one is short", async () => {
    await asked();
    short = new Set([second]);
    expect(await asked()).toEqual([503, second, second]);
    short.clear();
    expect(await asked()).toEqual([200, second, second]);
  });

  test("calls of other models, with a region of their own, and of other callers keep their region", async () => {
    await asked();
    short.clear();
    allow(grant(), "ben");
    const others = [
      { body: { ...question, model: "claude-opus-4-8" } },
      { headers: { "x-platform-region": own } },
      { headers: { authorization: `Bearer ${proxyToken({ sub: "ben" })}` } },
    ];
    for (const other of others) expect(await asked(other)).toEqual([200, undefined, own]);
  });

  test.each<[string, Partial<Grant>]>([
    ["no second region any more", { fallback_region: undefined }],
    ["the second region no more", { allowed_regions: [own, "us-east-1"], fallback_region: second }],
    ["another second region", { fallback_region: "us-east-1", allow_global_profiles: true }],
    ["the second region as the first", { default_region: second, fallback_region: own }],
  ])("a fallback does not count for a grant that allows %s", async (_what, changes) => {
    await asked();
    short.clear();
    await proxy.time.advance(minuteMs + 1);
    const changed = grant(changes);
    allow(changed);
    expect(await asked()).toEqual([200, undefined, changed.default_region]);
  });

  test("a fallback ends with the month, in which its item is", async () => {
    await proxy.time.advance(Date.parse("2026-11-30T23:50:00Z") - proxy.time.clock());
    await asked();
    short.clear();
    await proxy.time.advance(10 * minuteMs);
    expect(await asked()).toEqual([200, undefined, own]);
  });

  test("a call that began long ago neither shortens the hour that another call began, nor begins one again", async () => {
    const gate = Promise.withResolvers<string>();
    const { invoke } = proxy.host.play;
    proxy.host.play.invoke = async (call, ...rest) => {
      await invoke?.(call, ...rest);
      return gate.promise;
    };
    const slow = proxy.send();
    await settle();
    await proxy.time.advance(50_000);
    await proxy.time.advance(50_000);
    if (invoke) proxy.host.play.invoke = invoke;
    const quick = await proxy.ask();
    const begun = [...fallbacks()];
    gate.resolve(plainMessage);
    await slow.settled;
    expect([slow.status, quick.status, called()]).toEqual([200, 200, [own, second, own, second]]);
    expect(fallbacks()).toEqual(expect.arrayContaining(begun));
    await proxy.time.advance(Math.max(...begun.map(({ until }) => until)) - proxy.time.clock() - 1);
    short.clear();
    expect(await asked()).toEqual([200, second, second]);
    await proxy.time.advance(1);
    expect(await asked()).toEqual([200, undefined, own]);
    expect(await asked()).toEqual([200, undefined, own]);
  });

  test("a fallback that is over leaves the caller's item with the next settlement", async () => {
    await asked();
    await proxy.time.advance(hourMs);
    short.clear();
    await asked();
    expect(proxy.spendingOf()).not.toHaveProperty("fallbacks");
  });

  test("the fallbacks of four models leave a serial caller's item below 1 KB", async () => {
    let bytes = 0;
    const key = { tenant_id: tenantId, caller_id: "dev", month: "2026-11" };
    for (const model of ["claude-opus-4-8", "claude-sonnet-5", "claude-haiku-4-5"]) {
      await proxy.time.advance(minuteMs);
      await asked({ body: { ...question, model } });
    }
    const { invoke } = proxy.host.play;
    proxy.host.play.invoke = async (...call) => {
      bytes = itemBytes(marshall(proxy.accounting.table.get(spendingRecord.key(key))));
      return (await invoke?.(...call)) ?? "";
    };
    expect(await asked({ body: { ...question, model: "claude-opus-5-5" } })).toEqual([200, second, own, second]);
    await asked({ body: { ...question, model: "claude-opus-5-5" } });
    expect(fallbacks()).toHaveLength(4);
    // The ids of a caller and of a request are longer on AWS: 36 characters, twice in the item, and 22.
    expect(bytes + 2 * (36 - "dev".length) + 22).toBeLessThan(1_024);
    expect(bytes).toBeGreaterThan(300);
  });

  test("a settlement that waits in the queue remembers no fallback", async () => {
    proxy.accounting.disturb = (call, when) => {
      if (call === "settle" && when === "before") throw new Error("down");
    };
    await asked();
    expect(proxy.unsettled).toMatchObject([{ reservation: { region: second } }]);
    expect(proxy.unsettled[0]).not.toHaveProperty("begun");
  });
});

describe("the price of two regions", () => {
  /** In Europe by a global profile at 10 and 50 USD, in us-east-1 by its own at 11 and 55. */
  const body = { ...question, model: "claude-fable-5-1" };
  const dearer = { input: 11_000, output: 55_000, profile: "us.anthropic.claude-fable-5-1" };
  const cheaper = { input: 10_000, output: 50_000, profile: "global.anthropic.claude-fable-5-1" };
  const both: [string, "eu-central-1" | "us-east-1", "eu-central-1" | "us-east-1", typeof dearer, typeof dearer][] = [
    ["the second region is dearer", own, "us-east-1", cheaper, dearer],
    ["the second region is cheaper", "us-east-1", own, dearer, cheaper],
  ];

  test.each(both)(
    "a call reserves the dearer price and pays that of the region that answers: %s",
    async (_what, first, other, ofFirst, ofOther) => {
      allow(grant({ default_region: first, fallback_region: other, allow_global_profiles: true }));
      const reserved: number[] = [];
      const { invoke } = proxy.host.play;
      proxy.host.play.invoke = async (call, ...rest) => {
        const [reservation] = proxy.spendingOf().reservations;
        if (reservation)
          reserved.push(reservation.amount, reservation.bounds.input * dearer.input + 1_000 * dearer.output);
        return (await invoke?.(call, ...rest)) ?? "";
      };
      short = new Set();
      const before = await proxy.ask({ body });
      short = new Set([first]);
      const moved = await proxy.ask({ body });
      const after = await proxy.ask({ body });
      expect(reserved).toHaveLength(8);
      expect(new Set(reserved).size).toBe(1);
      const paid = ({ input, output, profile }: typeof dearer, region: string) => ({
        ...{ cost: 100 * input + 20 * output, profile, region },
      });
      expect([before, moved, after].map(({ requestId }) => proxy.rowOf(requestId))).toMatchObject([
        paid(ofFirst, first),
        paid(ofOther, other),
        paid(ofOther, other),
      ]);
    },
  );

  test("a true-up in the second region is by its price", async () => {
    allow(grant({ fallback_region: "us-east-1", allow_global_profiles: true, monthly_budget_usd: 0.1 }));
    const prompt = { role: "user", content: "x".repeat(20_000) };
    const rest = Promise.withResolvers<void>();
    proxy.host.play.stream = async ({ region }) => {
      if (region === own) throw noRoom();
      return (async function* () {
        yield* streamOf(plainEvents.slice(0, 2));
        await rest.promise;
        yield* streamOf(plainEvents.slice(2));
      })();
    };
    const answer = proxy.send({ body: { ...body, stream: true, messages: [prompt] } });
    await settle();
    expect(proxy.spendingOf().reservations).toMatchObject([
      { amount: 100 * dearer.input + 1_000 * dearer.output, region: "us-east-1", profile: dearer.profile },
    ]);
    rest.resolve();
    await answer.settled;
    expect(proxy.rowOf(answer.requestId)).toMatchObject({ cost: 100 * dearer.input + 20 * dearer.output });
  });

  test("a call whose function died is booked in the region that its last renewal named", async () => {
    const host = playGated(proxy.host);
    const { stream: gated } = proxy.host.play;
    proxy.host.play.stream = async (call, signal) => {
      if (call.region === own) throw noRoom();
      return (await gated?.(call, signal)) ?? streamOf([]);
    };
    const dead = proxy.send({ body: { ...body, model: question.model, stream: true } });
    await settle();
    await proxy.time.advance(renewalMs);
    proxy.accounting.disturb = (call) => {
      if (call === "change") throw new Error("dead");
    };
    await proxy.time.advance(leaseMs + graceMs + 1);
    proxy.accounting.disturb = () => {};
    short.clear();
    await proxy.ask();
    expect(proxy.rowOf(dead.requestId)).toMatchObject({ provisional: true, region: second });
    await host.send(...plainEvents);
    await host.end();
    await dead.settled;
    expect(proxy.rowOf(dead.requestId)).toMatchObject({ region: second, cost: plainCost, source: "final" });
  });

  const steps = fc.array(
    fc.record({
      minutes: fc.constantFrom(0, 1, 20, 45, 70),
      short: fc.subarray([own, "us-east-1"]),
      streams: fc.boolean(),
      model: fc.constantFrom("claude-fable-5-1", "claude-sonnet-5"),
      maxTokens: fc.constantFrom(100, 1_000, 64_000),
    }),
    { minLength: 1, maxLength: 8 },
  );

  test("whatever is short and when, each call costs no more than it reserved, is billed once where it was answered, and moves by the rule", async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.constantFrom(0.01, 0.5, 100), async (all, budget) => {
        proxy = openProxy();
        allow(grant({ fallback_region: "us-east-1", allow_global_profiles: true, monthly_budget_usd: budget }));
        let reserved = 0;
        /** Each answer uses all that its call may use. */
        const usageIn = ({ region }: ModelCall) => {
          const [{ amount, bounds } = { amount: 0, bounds: { input: 0, output: 0 } }] = proxy.spendingOf().reservations;
          reserved = amount;
          if (short.has(region)) throw noRoom();
          return { input_tokens: bounds.input, output_tokens: bounds.output };
        };
        proxy.host.play.stream = async (call) => {
          const usage = usageIn(call);
          const start = { type: "message_start", message: { ...JSON.parse(plainMessage), content: [], usage } };
          const end = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage };
          return streamOf([start, end, { type: "message_stop" }].map((event) => JSON.stringify(event)));
        };
        proxy.host.play.invoke = async (call) => {
          return JSON.stringify({ ...JSON.parse(plainMessage), usage: usageIn(call) });
        };
        const until = new Map<string, number>();
        let spent = 0;
        for (const { minutes, short: now, streams, model, maxTokens } of all) {
          await proxy.time.advance(minutes * minuteMs);
          short = new Set<string>(now);
          const before = called().length;
          const asksFor = { ...question, model, max_tokens: maxTokens, stream: streams };
          const { status, headers, requestId } = await proxy.ask({ body: asksFor });
          const regions = called().slice(before);
          if (status === 429) {
            expect(regions).toEqual([]);
            continue;
          }
          const isMoved = proxy.time.clock() < (until.get(model) ?? 0);
          const tried = isMoved ? ["us-east-1"] : short.has(own) ? [own, "us-east-1"] : [own];
          const answers = tried.at(-1) ?? own;
          expect(regions).toEqual(tried);
          expect([status, headers["x-archway-region"]]).toEqual([
            short.has(answers) ? 503 : 200,
            answers === own ? undefined : answers,
          ]);
          const row = proxy.rowOf(requestId);
          if (status === 503) expect(row).toBeUndefined();
          else {
            expect(row).toMatchObject({ region: answers, source: "final" });
            expect(row?.cost).toBeLessThanOrEqual(reserved);
            if (!isMoved && answers !== own) {
              until.set(model, Math.floor(proxy.time.clock() / minuteMs) * minuteMs + hourMs);
            }
          }
          spent += row?.cost ?? 0;
          expect(proxy.spendingOf()).toMatchObject({ spent, committed: spent, inflight: 0, reservations: [] });
        }
      }),
      { numRuns: sizes.proxyRequests },
    );
  });
});

describe("the request in the second region", () => {
  /** Each region refuses a field of this name, at this path. */
  const taking = (refusals: Partial<Record<string, string>>) => {
    proxy.host.play.invoke = async (call) => {
      const path = refusals[call.region];
      const name = path?.split(".").at(-1);
      if (name && call.body.includes(`"${name}"`)) throw rejection(`${path}: Extra inputs are not permitted`);
      if (short.has(call.region)) throw noRoom();
      return plainMessage;
    };
  };

  test.each(["of_tomorrow", "messages.0.of_tomorrow"])(
    "a field that only the call's own region refused is sent to the second one, and not named: %s",
    async (path) => {
      taking({ [own]: path });
      const turn = { role: "user", content: "hi", of_tomorrow: 1 };
      const body = path === "of_tomorrow" ? { ...question, of_tomorrow: 1 } : { ...question, messages: [turn] };
      const answer = await proxy.ask({ body });
      expect(called()).toEqual([own, own, second]);
      expect(proxy.host.calls.map(({ body }) => body.includes("of_tomorrow"))).toEqual([true, false, true]);
      expect(answer.headers).not.toHaveProperty("x-archway-dropped");
    },
  );

  test("a field that the second region refuses is left out there and named, and its own region still gets it", async () => {
    taking({ [second]: "of_tomorrow" });
    const body = { ...question, of_tomorrow: 1 };
    expect((await proxy.ask({ body })).headers["x-archway-dropped"]).toBe("of_tomorrow");
    expect((await proxy.ask({ body })).headers["x-archway-dropped"]).toBe("of_tomorrow");
    expect(called()).toEqual([own, second, second, second]);
    short.clear();
    await proxy.time.advance(hourMs);
    expect((await proxy.ask({ body })).headers).not.toHaveProperty("x-archway-dropped");
  });

  test("a lower max_tokens is sent to the second region, too", async () => {
    const body = { ...question, model: "claude-opus-4-8", max_tokens: 500_000 };
    allow(grant({ monthly_budget_usd: 5 }));
    const gate = Promise.withResolvers<string>();
    const { invoke } = proxy.host.play;
    proxy.host.play.invoke = async (call, ...rest) => {
      await invoke?.(call, ...rest);
      return gate.promise;
    };
    const calls = [1, 2].map(() => proxy.send({ body: { ...body, max_tokens: 128_000 } }));
    await settle();
    gate.resolve(plainMessage);
    await Promise.all(calls.map(({ settled }) => settled));
    const sent = proxy.host.calls.map(({ region, body }) => `${region} ${JSON.parse(body).max_tokens}`);
    const lowered = calls.map(({ headers }) => headers["x-archway-max-tokens"]);
    expect(lowered.some((tokens) => tokens !== undefined)).toBe(true);
    for (const tokens of lowered) expect(sent).toContain(`${second} ${tokens ?? 128_000}`);
  });

  test("thinking that the second region takes for another conversation's is dropped there by the model host, and named", async () => {
    const words =
      "messages.1.content.0: Invalid `signature` in `thinking` block. The block is bound to a different conversation. Remove the block.";
    proxy.host.play.invoke = async (call) => {
      if (call.region === own) throw noRoom();
      if (!call.body.includes("drop_block")) throw rejection(words);
      return plainMessage;
    };
    const answer = await proxy.ask();
    expect([answer.status, answer.headers["x-archway-dropped"]]).toEqual([200, "messages[].content[].type=thinking"]);
  });

  const conversations = fc.record({
    seed: fc.integer(),
    turns: fc.array(
      fc.record({
        fields: fc.subarray(["x_one", "x_two", "signature"]),
        short: fc.subarray([own, second]),
        minutes: fc.constantFrom(0, 10, 70),
      }),
      { minLength: 3, maxLength: 8 },
    ),
  });

  test("what a region got of a turn is the beginning of what either region gets of the next, if both refuse the same", async () => {
    let moves = 0;
    await fc.assert(
      fc.asyncProperty(conversations, async ({ seed, turns }) => {
        proxy = openProxy();
        allow(grant());
        const refuses = randomRefusals(seed, (_holder, field) => field.startsWith("x_"));
        let taken = "";
        proxy.host.play.invoke = async (call) => {
          takeOrRefuse(refuses, call);
          if (short.has(call.region)) throw noRoom();
          taken = call.body;
          return plainMessage;
        };
        const messages: object[] = [];
        let before: string[] = [];
        let region: string | undefined;
        for (const { fields, short: now, minutes } of turns) {
          await proxy.time.advance(minutes * minuteMs);
          short = new Set<string>(now);
          const named = Object.fromEntries(fields.map((name) => [name, 1]));
          messages.push({
            role: messages.length % 2 ? "assistant" : "user",
            content: [{ type: "text", text: "a", ...named }],
          });
          const answer = await proxy.ask({ body: { ...question, tools: [{ name: "t", x_one: 1 }], messages } });
          if (answer.status !== 200) continue;
          const { tools, messages: sent } = JSON.parse(taken);
          const all = [tools, ...sent].map((part) => JSON.stringify(part));
          expect(all.slice(0, before.length)).toEqual(before);
          before = all;
          if (region !== undefined && region !== (answer.headers["x-archway-region"] ?? own)) moves += 1;
          region = answer.headers["x-archway-region"] ?? own;
        }
      }),
      { numRuns: sizes.proxyRequests },
    );
    expect(moves).toBeGreaterThan(sizes.proxyRequests / 10);
  });
});
