// Random schedules: requests, clients that leave, faults of store, token service and model host, functions that die. Made
// from a seed, so that one that fails can be played again.
import { setTimeout as sleep } from "node:timers/promises";
import fc from "fast-check";
import type { FaultInput } from "../../emulators/aws/faults.ts";
import type { Stack } from "../../local/stack.ts";
import { accounted, settled } from "./accounting/accounting.ts";
import type { Account } from "./people/accounts.ts";
import { aRequest, ask } from "./proxy-client.ts";

export type Asked = {
  /** The caller's place among the callers. */
  caller: number;
  stream: boolean;
  cached: boolean;
  /** Milliseconds after the schedule's start. */
  at: number;
  /** Milliseconds after which the client leaves. */
  leavesAfter: number | undefined;
};

type HostFault = Parameters<Stack["bedrock"]["fail"]>[0];

export type Schedule = {
  requests: Asked[];
  faults: FaultInput[];
  hostFaults: HostFault[];
  pace: { outputTokens: number; millisecondsPerToken: number };
  /** Milliseconds after the start. */
  killsAt: number[];
  metersAt: number[];
};

const times = fc.oneof(fc.integer({ min: 1, max: 4 }), fc.constant(1_000));
const nth = fc.integer({ min: 1, max: 4 });

const storeFault = fc
  .record({
    call: fc.constantFrom(
      { operation: "UpdateItem" },
      { operation: "PutItem", match: "LEDGER#" },
      { operation: "PutItem" },
      { operation: "TransactWriteItems" },
      { operation: "GetItem" },
      { operation: "Query" },
    ),
    nth,
    times,
    effect: fc.constantFrom(
      { kind: "throttle", when: "before" },
      { kind: "error", when: "before" },
      { kind: "error", when: "after" },
      { kind: "cut", when: "before" },
      { kind: "cut", when: "after" },
      { kind: "delay", when: "before", milliseconds: 80 },
      { kind: "delay", when: "after", milliseconds: 80 },
      { kind: "conflict", when: "before" },
    ),
  })
  .filter(({ call, effect }) => effect.kind !== "conflict" || !["GetItem", "Query"].includes(call.operation))
  .map(({ call, effect, ...rest }) => ({ service: "dynamodb", ...call, ...effect, ...rest }) as FaultInput);

const tokenFault = fc
  .record({ times: fc.integer({ min: 1, max: 3 }), kind: fc.constantFrom("throttle", "error", "cut") })
  .map((fault) => ({ service: "sts", operation: "AssumeRole", when: "before", ...fault }) as FaultInput);

const hostFault = fc.oneof(
  fc
    .constantFrom("ThrottlingException", "ServiceUnavailableException", "ModelErrorException", "ValidationException")
    .map((error) => ({ error }) as HostFault),
  fc
    .record({
      error: fc.constantFrom("modelStreamErrorException", "throttlingException", "break", "truncate", "garbage"),
      after: fc.integer({ min: 0, max: 12 }),
    })
    .map((fault) => fault as HostFault),
);

const asked: fc.Arbitrary<Asked> = fc.record({
  caller: fc.nat(2),
  stream: fc.boolean(),
  cached: fc.boolean(),
  at: fc.integer({ min: 0, max: 60 }),
  leavesAfter: fc.option(fc.integer({ min: 0, max: 60 }), { nil: undefined, freq: 3 }),
});

const seldom = <T>(arbitrary: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 3, arbitrary: fc.constant([] as T[]) }, { weight: 1, arbitrary: arbitrary.map((one) => [one]) });
const moment = fc.integer({ min: 0, max: 120 });

export const schedules: fc.Arbitrary<Schedule> = fc.record({
  requests: fc.array(asked, { minLength: 2, maxLength: 6 }),
  faults: fc.array(fc.oneof({ weight: 5, arbitrary: storeFault }, { weight: 1, arbitrary: tokenFault }), {
    maxLength: 3,
  }),
  hostFaults: fc.array(hostFault, { maxLength: 2 }),
  pace: fc.record({ outputTokens: fc.integer({ min: 1, max: 60 }), millisecondsPerToken: fc.constantFrom(0, 0, 1) }),
  killsAt: seldom(moment),
  metersAt: seldom(moment),
});

/** A client's view of a call: its whole answer, or how it ended early. */
export type Seen = { asked: Asked; status?: number; text?: string; requestId?: string | null; error?: string };

/** Plays a schedule, then lets everything come to rest: no faults, nothing running, every reservation expired, metered. */
export async function play(
  stack: Stack,
  schedule: Schedule,
  accounts: readonly (Account & { slug?: string })[],
): Promise<Seen[]> {
  const { requests, faults, hostFaults, pace, killsAt, metersAt } = schedule;
  stack.bedrock.clear();
  stack.bedrock.configure({ ...pace, tokensPerEvent: 3 });
  for (const fault of hostFaults) stack.bedrock.fail(fault);
  stack.faults.put(faults);
  const after = async (milliseconds: number, act: () => Promise<unknown>) => {
    await sleep(milliseconds);
    await act();
  };
  const meter = () => stack.schedules.run("meter").catch(() => {});
  const [seen] = await Promise.all([
    Promise.all(requests.map((each, index) => send(stack, each, index, accounts[each.caller]))),
    ...killsAt.map((at) => after(at, () => stack.functions.byName("proxy-local").kill())),
    ...metersAt.map((at) => after(at, meter)),
  ]);
  // A client that left at once may have left its request behind: it is before this one in the queue.
  await (await fetch(stack.at("acme.proxy"))).text();
  await settled(stack);
  stack.faults.clear();
  await stack.bedrock.idle();
  await settled(stack);
  await accounted(stack);
  return seen;
}

async function send(
  stack: Stack,
  asked: Asked,
  index: number,
  account: (Account & { slug?: string }) | undefined,
): Promise<Seen> {
  await sleep(asked.at);
  const leaving = asked.leavesAfter === undefined ? undefined : AbortSignal.timeout(asked.leavesAfter);
  // Every request of a schedule has a length, and so a cost, of its own.
  const text = "word ".repeat(index + 1 + (asked.cached ? 400 : 0));
  const mark = asked.cached && { cache_control: { type: "ephemeral" } };
  const changes = {
    max_tokens: 100 + index,
    stream: asked.stream,
    messages: [{ role: "user", content: [{ type: "text", text, ...mark }] }],
  };
  const { key = "", slug } = account ?? {};
  const seen: Seen = { asked };
  try {
    const response = await ask(
      stack,
      { ...aRequest, ...changes },
      { key, ...(slug && { slug }), ...(leaving && { signal: leaving }) },
    );
    seen.status = response.status;
    seen.requestId = response.headers.get("request-id");
    seen.text = await response.text();
  } catch (error) {
    seen.error = String(error);
  }
  return seen;
}
