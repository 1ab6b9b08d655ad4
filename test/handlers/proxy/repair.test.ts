// Healing by rule, against hosts that refuse fields and flags at random: what is left out follows from the request and the host, and from no one's
// earlier call.
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { findModel, type Model, parseCatalog } from "../../../domain/catalog/catalog.ts";
import catalogData from "../../../domain/catalog/catalog-data.ts";
import { classOf } from "../../../domain/catalog/message-fields.ts";
import { RefusedFields, RefusedFlags } from "../../../domain/catalog/refused-names.ts";
import { parseMessagesBody } from "../../../domain/messages/body.ts";
import { bridge } from "../../../domain/messages/bridge.ts";
import { type ModelCall, ModelHostError } from "../../../domain/messages/model-host.ts";
import type { ProxyCall } from "../../../handlers/proxy/call.ts";
import { knownRefusals, sender } from "../../../handlers/proxy/repair.ts";
import type { ProxyServices } from "../../../handlers/proxy/services.ts";
import { bodyWith, holders as holderNames } from "../../support/messages/nested-body.ts";
import { type Refuses, randomRefusals, takeOrRefuse } from "../../support/messages/refusing-host.ts";
import { sizes } from "../../support/sizes.ts";

const catalog = parseCatalog(catalogData);
const model = findModel(catalog, "claude-sonnet-5-5") as Model;

/** An instance of the proxy, with a memory of its own. */
function anInstance(): ProxyServices {
  const telemetry = { flagsRefused: () => {}, fieldsRefused: () => {} };
  return { refused: { flags: new RefusedFlags(), fields: new RefusedFields() }, telemetry } as unknown as ProxyServices;
}

type Asked = { body: object; flags?: readonly string[]; version?: string };

/** The request that the host took, what was left out of it, and how often the host was asked. */
async function send(instance: ProxyServices, refuses: Refuses, { body, flags = [], version = "2023-06-01" }: Asked) {
  const identity = { tenantId: "t", callerId: "c" };
  const modelCall = { identity, region: "eu-central-1", modelId: "m", headers: { "anthropic-version": version } };
  const asked = parseMessagesBody(JSON.stringify({ model: model.id, max_tokens: 9, ...body }), { maxBytes: 1e6 });
  const call = { facts: {}, dropped: [] as string[] } as unknown as ProxyCall;
  let tries = 0;
  const answer = sender(instance, call, {
    modelCall,
    bridged: bridge(asked, model, flags, knownRefusals(instance, modelCall)),
  })(async (sent: ModelCall) => {
    tries += 1;
    takeOrRefuse(refuses, sent);
    return sent;
  });
  return { ...(await answer), dropped: call.dropped, tries };
}

const turn = (content: unknown) => ({ messages: [{ role: "user", content }] });
const only = (holder: string, field: string, unless?: string): Refuses => ({
  flag: () => false,
  field: (where, name, flags) =>
    where === holder && name === field && (unless === undefined || !flags.includes(unless)),
});

const names = fc.stringMatching(/^[a-z][a-z_]{2,12}_x$/);
const holders = fc.constantFrom(...holderNames);

describe("a field that the model host does not know", () => {
  test("an unknown field is healed wherever it lies, and the host's body lacks that field and nothing else", async () => {
    await fc.assert(
      fc.asyncProperty(holders, names, fc.jsonValue(), async (holder, field, value) => {
        const instance = anInstance();
        const host = only(holder, field);
        const plain = await send(instance, host, { body: bodyWith("none", field, value) });
        const healed = await send(instance, host, { body: bodyWith(holder, field, value) });
        expect([plain.tries, healed.body]).toEqual([1, plain.body]);
        // A field of a block is one of each place in which it stands: the user's turn, and the result of a tool.
        expect(healed.tries).toBeLessThanOrEqual(4);
        for (const name of healed.dropped) expect(name.split(".").at(-1)).toBe(field);
        const again = await send(instance, host, { body: bodyWith(holder, field, value) });
        expect([again.tries, again.body, again.dropped]).toEqual([1, plain.body, healed.dropped]);
      }),
      { numRuns: sizes.healings },
    );
  });

  test("a field that the Messages API names is left out of each call anew, and never remembered", async () => {
    const instance = anInstance();
    const host = only("messages:user", "clear_at");
    const flags = ["mid-conversation-system-clear-at-2026-08-21"];
    const wrong = { messages: [{ role: "user", content: "a", clear_at: "x" }] };
    for (const _ of [1, 2]) expect((await send(instance, host, { body: wrong, flags })).tries).toBe(2);
    const right = {
      messages: [
        { role: "user", content: "a" },
        { role: "system", content: "s", clear_at: "x" },
      ],
    };
    const { tries, body } = await send(instance, host, { body: right, flags });
    expect([tries, JSON.parse(body).messages]).toEqual([1, right.messages]);
    const named = { ...turn("a"), metadata: { user_id: "u" } };
    for (const _ of [1, 2]) expect((await send(instance, only("metadata:", "user_id"), { body: named })).tries).toBe(2);
  });

  test("a field is refused for the flags and the version of its call: with others it is tried again", async () => {
    const instance = anInstance();
    const host = only("content:text", "x", "x-2027-01-01");
    const body = turn([{ type: "text", text: "a", x: 1 }]);
    expect((await send(instance, host, { body })).tries).toBe(2);
    expect((await send(instance, host, { body })).tries).toBe(1);
    expect((await send(instance, host, { body, version: "2026-10-21" })).tries).toBe(2);
    const sent = await send(instance, host, { body, flags: ["x-2027-01-01"] });
    expect([sent.tries, sent.dropped, JSON.parse(sent.body).messages]).toEqual([1, [], body.messages]);
  });

  test("a host that refuses a field again that is not there any more is heard", async () => {
    const host: Refuses = { flag: () => false, field: (where, name) => where === ":" && name === "max_tokens" };
    const body = { ...turn("a"), x: 1 };
    await expect(send(anInstance(), host, { body })).rejects.toMatchObject({ code: "invalid_request" });
    const stubborn = {
      ...host,
      field: () => {
        throw new ModelHostError("rejected", "x: ...", { refusedPart: { fields: ["x"] } });
      },
    };
    await expect(send(anInstance(), stubborn, { body })).rejects.toMatchObject({ failure: "rejected" });
  });
});

describe("no caller changes what the model host gets of another", () => {
  /** Requests by which somebody tries to have fields of others forgotten. */
  const attacks = fc.record({
    holder: holders,
    field: fc.oneof(names, fc.constantFrom("cache_control", "signature", "strict", "text", "name", "of_tomorrow")),
    flags: fc.subarray(["of_tomorrow-2027-01-01", "bad-2027-01-01", "effort-2025-11-24"]),
    version: fc.constantFrom("2023-06-01", "2026-10-21"),
    forged: fc.constantFrom<object>(
      {},
      { "tools.0.of_tomorrow": 1 },
      { "system.0.text.of_tomorrow": 1 },
      { "tools.0.of_tomorrow: Extra inputs are not permitted": 1 },
    ),
  });
  const others = fc.record({
    holder: holders,
    field: fc.constantFrom("of_tomorrow", "of_the_day_after"),
    flags: fc.subarray(["of_tomorrow-2027-01-01", "effort-2025-11-24"]),
  });

  test("whatever was asked of an instance before, a request reaches the host as from a new instance", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer(), fc.array(attacks, { maxLength: 6 }), others, async (seed, before, asked) => {
        const host = randomRefusals(seed, (holder, field) => classOf({ holder, field }) === undefined);
        const used = anInstance();
        for (const { holder, field, forged, ...more } of before) {
          const body = { ...bodyWith(holder, field, 1), ...forged };
          await send(used, host, { body, ...more }).catch(() => {});
        }
        const request = { body: bodyWith(asked.holder, asked.field, 1), flags: asked.flags };
        const [one, other] = [await send(used, host, request), await send(anInstance(), host, request)];
        expect([one.body, one.betas]).toEqual([other.body, other.betas]);
      }),
      { numRuns: sizes.healings },
    );
  });
});

describe("one prefix", () => {
  type Turn = { role: string; content: object[] };
  const fieldsOf = fc.subarray(["x_one", "x_two", "caller", "signature"]);
  const blocks = fc
    .tuple(fc.constantFrom("text", "thinking", "tool_use", "tool_result"), fieldsOf, fc.string({ maxLength: 5 }))
    .map(([type, fields, words]) => ({
      type,
      text: words,
      ...Object.fromEntries(fields.map((name) => [name, words])),
    }));
  const turns = fc.array(fc.array(blocks, { minLength: 1, maxLength: 3 }), { minLength: 2, maxLength: 8 });
  const conversations = fc.record({
    seed: fc.integer(),
    turns,
    tools: fc.array(fc.record({ name: fc.constantFrom("a", "b"), x_one: fc.option(fc.nat(), { nil: undefined }) })),
    flags: fc.subarray(["x_one-2027-01-01", "x_two-2027-01-01", "advanced-tool-use-2025-11-20", "effort-2025-11-24"]),
    /** The instance, of two, that takes each turn, and whether another caller asked it before. */
    instances: fc.array(fc.record({ place: fc.nat({ max: 1 }), isUsed: fc.boolean() }), { minLength: 8, maxLength: 8 }),
  });

  /** Tools, system and turns, as thinking is bound to them. */
  const prefixOf = ({ tools, system, messages }: { tools?: unknown; system?: unknown; messages?: Turn[] }) =>
    [tools ?? null, system ?? null, ...(messages ?? [])].map((part) =>
      JSON.stringify(part, (name, value) => (name === "cache_control" ? undefined : value)),
    );

  test("what the host got of a turn is the beginning of what it gets of the next, over refusals, instances and other callers", async () => {
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(conversations, async ({ seed, turns, tools, flags, instances }) => {
        const host = randomRefusals(seed, (holder, field) => classOf({ holder, field }) !== "meant");
        const both = [anInstance(), anInstance()];
        let before: string[] | undefined;
        for (const [count, { place, isUsed }] of instances.slice(0, turns.length).entries()) {
          const instance = both[place] as ProxyServices;
          const messages: Turn[] = turns
            .slice(0, count + 1)
            .map((content, index) => ({ role: index % 2 ? "assistant" : "user", content }));
          // Clients mark the last block for the cache.
          const last = { type: "text", text: "last", cache_control: { type: "ephemeral", x_one: 1 } };
          messages.at(-1)?.content.push(last);
          const other = { body: bodyWith("content:text", "x_one", 1), flags: ["x_two-2027-01-01"] };
          if (isUsed) await send(instance, host, other).catch(() => {});
          const sent = await send(instance, host, { body: { tools, messages }, flags }).catch(() => undefined);
          messages.at(-1)?.content.pop();
          if (!sent) return;
          const all = prefixOf(JSON.parse(sent.body));
          // The turn with the mark is another one next time.
          const now = all.slice(0, -1);
          if (before) expect(now.slice(0, before.length)).toEqual(before);
          compared += 1;
          before = now;
        }
      }),
      { numRuns: sizes.healings },
    );
    expect(compared).toBeGreaterThan(sizes.healings);
  });
});
