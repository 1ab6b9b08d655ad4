import { expect, test } from "@jest/globals";
import { AllowanceDraw } from "../../../domain/budget/allowance-draw.ts";
import { type DrawOutcome, nothingSpent, type Stock } from "../../../domain/budget/spending.ts";
import { maxAttempts } from "../../../domain/kernel/optimistic.ts";
import { asking } from "../../support/accounting/admissions.ts";

const request = asking("r1", { maxTokens: 64_000, costAt: (tokens) => tokens });
const spending = { ...nothingSpent, allowance: 0 };
const key = { tenantId: "t1", callerId: "dev", month: "2026-11" };
const start = 1_000_000;
const drawn: DrawOutcome = { drawn: true, slice: 64_000 };

type Refused = Omit<DrawOutcome & { drawn: false }, "drawn">;

/** An allowance that refuses each draw, unless a test says otherwise, and of whose slices none is idle. */
function world() {
  const pauses: number[] = [];
  const state = {
    now: start,
    found: { inFlight: 0, freed: 0 } as (Omit<Stock, "at"> & { freed: number }) | undefined,
    takeBacks: 0,
    outcome: drawn as DrawOutcome,
  };
  const allowance = new AllowanceDraw(
    {
      spending: { draw: async () => state.outcome },
      idleSlices: {
        takeBack: async () => {
          state.takeBacks += 1;
          return state.found && { at: state.now, ...state.found };
        },
      },
      clock: () => state.now,
      pause: async (milliseconds) => {
        pauses.push(milliseconds);
        state.now += milliseconds;
      },
    },
    { ownerSub: "owner", trialCap: 1_000_000 },
  );
  /** @returns the code of the call's refusal if it waits, and otherwise the `max_tokens` that the call asks for next */
  const draw = async (): Promise<unknown> => {
    const refusal = await allowance.draw({ key, request, need: 64_000, spending });
    return refusal?.code ?? allowance.affordable(request).maxTokens;
  };
  const refuse = (refused: Refused) => {
    state.outcome = { drawn: false, ...refused };
    return draw();
  };
  return { state, allowance, pauses, draw, refuse };
}

test.each([
  ["the longest answer that the rest pays for, if no call is in flight", 5_000, 0, 4_096],
  ["an answer of usual length, if calls in flight may give back more", 10_000, 100, 8_192],
  [
    "a place among those who wait, if the rest pays only for a short answer and calls in flight may give back more",
    5_000,
    10_000,
    "budget_reserved",
  ],
  [
    "a place among those who wait, if calls in flight would have to give back something for any answer",
    1_000,
    24,
    "budget_reserved",
  ],
])("a call whose draw is refused gets %s", async (_, left, inFlight, expected) => {
  const { state, refuse } = world();
  state.found = { inFlight, freed: 0 };
  expect(await refuse({ left })).toBe(expected);
});

test("a call for which not even all calls in flight could give back enough is refused", async () => {
  const { state, refuse } = world();
  state.found = { inFlight: 23, freed: 0 };
  await expect(refuse({ left: 1_000 })).rejects.toMatchObject({ code: "cap_reached" });
});

test("a call whose draw is refused asks for the whole answer again if idle slices came back", async () => {
  const { state, refuse } = world();
  state.found = { inFlight: 0, freed: 1 };
  expect(await refuse({ left: 20_000 })).toBe(64_000);
});

test("a call that loses the rest to another call asks for the whole answer again, and waits after its fifth loss", async () => {
  const { refuse } = world();
  for (let loss = 0; loss < maxAttempts; loss++) {
    expect(await refuse({ left: 20_000 })).toBe(16_384);
    expect(await refuse({ left: 20_000 })).toBe(64_000);
  }
  expect(await refuse({ left: 20_000 })).toBe(16_384);
  expect(await refuse({ left: 20_000 })).toBe("budget_reserved");
});

test("a call waits once others have taken back six of its slices before it could use them", async () => {
  const { allowance, draw } = world();
  for (let slice = 0; slice < maxAttempts; slice++) expect(await draw()).toBe(64_000);
  expect(allowance.isWaiting).toBe(false);
  expect(await draw()).toBe("budget_reserved");
  expect(allowance.isWaiting).toBe(true);
});

test("a call waits no longer once it has drawn a slice", async () => {
  const { state, allowance, draw, refuse } = world();
  state.found = { inFlight: 64_000, freed: 0 };
  expect(await refuse({ left: 0 })).toBe("budget_reserved");
  expect(allowance.isWaiting).toBe(true);
  state.outcome = drawn;
  await draw();
  expect(allowance.isWaiting).toBe(false);
});

test("a call pauses three times for another function's take-back, and then waits as for calls in flight", async () => {
  const { state, refuse, pauses } = world();
  state.found = undefined;
  for (let pause = 0; pause < 3; pause++) expect(await refuse({ left: 20_000 })).toBe(64_000);
  expect(await refuse({ left: 20_000 })).toBe("budget_reserved");
  expect(pauses).toEqual([40, 120, 360]);
});

test("no call takes back idle slices while another function does", async () => {
  const { state, refuse } = world();
  await refuse({ left: 20_000, takenUntil: start + 1 });
  expect(state.takeBacks).toBe(0);
  await refuse({ left: 20_000, takenUntil: state.now });
  expect(state.takeBacks).toBe(1);
});

test.each([
  ["a moment ago", 9_999, 0],
  ["ten seconds ago", 10_000, 1],
])("nobody takes back again what was used up %s, as long as nothing was drawn since", async (_, passed, takeBacks) => {
  const { state, refuse } = world();
  const stock = { at: start - passed, inFlight: 0, isLast: true };
  await expect(refuse({ left: 0, stock })).rejects.toMatchObject({ code: "cap_reached" });
  expect(state.takeBacks).toBe(takeBacks);
});

test.each([
  ["something was drawn since", { inFlight: 0, isLast: false }],
  ["calls were in flight", { inFlight: 64_000, isLast: true }],
])("a call's first refused draw takes back although another call has just done so, if %s", async (_, found) => {
  const { state, refuse } = world();
  await refuse({ left: 20_000, stock: { at: start - 1, ...found } });
  expect(state.takeBacks).toBe(1);
});

test("a refused draw relies on a take-back that another call began after its refusal", async () => {
  const { state, refuse } = world();
  await refuse({ left: 20_000, takenUntil: start + 40 });
  expect(await refuse({ left: 20_000, stock: { at: start, inFlight: 0, isLast: false } })).toBe(16_384);
  expect(state.takeBacks).toBe(1);
  const late = world();
  await late.refuse({ left: 20_000, takenUntil: start + 40 });
  expect(await late.refuse({ left: 20_000, stock: { at: start + 1, inFlight: 0, isLast: false } })).toBe(16_384);
  expect(late.state.takeBacks).toBe(0);
});

test.each([
  [999, 1],
  [1_000, 2],
])(
  "a call that waits relies on a take-back of the last second: after %i ms there were %i take-backs",
  async (passed, takeBacks) => {
    const { state, refuse } = world();
    state.found = { inFlight: 64_000, freed: 0 };
    expect(await refuse({ left: 0 })).toBe("budget_reserved");
    state.now += 1 + passed;
    // Such a take-back says nothing of calls that have ended since: the call is not refused for good.
    expect(await refuse({ left: 0, stock: { at: start + 1, inFlight: 1, isLast: false } })).toBe("budget_reserved");
    expect(state.takeBacks).toBe(takeBacks);
  },
);
