import { beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import type { Grant } from "../../../domain/access/grant.ts";
import { Refusal, type RefusalCode } from "../../../domain/refusal.ts";
import type { Admitted } from "../../../domain/spending/reservations.ts";
import { refusalHeaders } from "../../../handlers/proxy/limit-headers.ts";
import { admissionRuns } from "../../support/admission-runs.ts";
import { aCaller, admissionOver, aGrant, asking, aTenant, costing, tenantId } from "../../support/admissions.ts";
import { FakeTime } from "../../support/fake-time.ts";
import { MemoryAccounting, sound, soundness } from "../../support/memory-accounting.ts";

let time: FakeTime;
let accounting: MemoryAccounting;
beforeEach(() => {
  time = new FakeTime();
  accounting = new MemoryAccounting();
});

const key = { tenantId, callerId: "dev", month: "2026-11" };
const usd = (nano: number) => nano / 1_000_000_000;

describe("whatever callers do, in whatever order", () => {
  test("the accounting stays sound, no cap is overshot by more than one request, and nothing stays reserved", async () => {
    await fc.assert(
      fc.asyncProperty(admissionRuns, async (run) => {
        await run(() => new MemoryAccounting());
      }),
      { numRuns: 400 },
    );
  });
});

describe("an admission", () => {
  test("costs one call to the store once the caller is known", async () => {
    const { admission } = admissionOver(accounting, time);
    await admission.admit(aCaller(), asking("r1", time));
    expect(accounting.calls).toEqual(["admit"]);
    await time.advance(1_000);
    await admission.admit(aCaller(), asking("r2", time));
    expect(accounting.calls).toEqual(["admit", "admit"]);
  });

  test("says where the caller stands after it", async () => {
    const { admission } = admissionOver(accounting, time);
    const admitted = await admission.admit(aCaller(), asking("r1", time));
    expect(admitted).toMatchObject({
      key,
      limits: { cap: 100_000_000_000, enforcement: "reserved" },
      spending: { committed: 10, inflight: 1 },
      reservation: { requestId: "r1", admittedAt: time.clock() },
    });
  });

  test("without a reservation takes a turn and nothing else", async () => {
    const { admission } = admissionOver(accounting, time, { burst: 1, perMinute: 60 });
    await admission.admit(aCaller(), undefined);
    expect(accounting.of(key)).toMatchObject({ committed: 0, inflight: 0, reservations: [] });
    await expect(admission.admit(aCaller(), undefined)).rejects.toMatchObject({ code: "rate_limited" });
  });

  test("in the last millisecond of a month is the old month's, and settled there later", async () => {
    time = new FakeTime("2026-11-30T23:59:59.999Z");
    const { admission, settlements } = admissionOver(accounting, time);
    const late = await admission.admit(aCaller(), asking("r1", time));
    await time.advance(1);
    const early = await admission.admit(aCaller(), asking("r2", time));
    expect([late.key.month, early.key.month]).toEqual(["2026-11", "2026-12"]);
    await settlements.settle(late, costing(7));
    expect(accounting.of(late.key)).toMatchObject({ spent: 7, committed: 7 });
    expect(accounting.of(early.key)).toMatchObject({ spent: 0, committed: 10 });
    expect(accounting.rows.get("r1")?.admitted_at).toBe("2026-11-30T23:59:59.999Z");
  });

  test("leaves a new month a new budget", async () => {
    const caller = aCaller({ grant: aGrant({ monthly_budget_usd: usd(5) }) });
    const { admission, settlements } = admissionOver(accounting, time);
    await settlements.settle(await admission.admit(caller, asking("r1", time)), costing(5));
    await expect(admission.admit(caller, asking("r2", time))).rejects.toMatchObject({ code: "budget_exceeded" });
    await time.advance(Date.parse("2026-12-01T00:00:00Z") - time.clock());
    await expect(admission.admit(caller, asking("r3", time))).resolves.toBeDefined();
  });

  test("is refused to all under a budget of nothing", async () => {
    const { admission } = admissionOver(accounting, time);
    const caller = aCaller({ grant: aGrant({ monthly_budget_usd: 0 }) });
    await expect(admission.admit(caller, asking("r1", time))).rejects.toMatchObject({ code: "budget_exceeded" });
  });

  test("has no cap for an owner without a grant, but the stack's limits", async () => {
    const { admission } = admissionOver(accounting, time, { maxInFlight: 1 });
    const owner = aCaller({ callerId: "owner", grant: undefined });
    const { limits } = await admission.admit(owner, asking("r1", time, { reservedCost: 10 ** 15 }));
    expect(limits.cap).toBeUndefined();
    await expect(admission.admit(owner, asking("r2", time))).rejects.toMatchObject({ code: "concurrency_limited" });
  });

  test("goes by the grant's own limits where it has some", async () => {
    const { admission } = admissionOver(accounting, time);
    const grant = aGrant({ max_in_flight: 1, rate_limit: { burst: 3, per_minute: 60 } });
    const { limits } = await admission.admit(aCaller({ grant }), asking("r1", time));
    expect(limits).toMatchObject({ maxInFlight: 1, rate: { burst: 3, perMinute: 60 } });
  });
});

describe("instances of different speed and clock", () => {
  test("admit one whose write took so long that another call was admitted meanwhile", async () => {
    const { admission, makeAdmission } = admissionOver(accounting, time, { burst: 2, perMinute: 6_000 });
    const admit = accounting.admit.bind(accounting);
    accounting.admit = async (write) => {
      accounting.admit = admit;
      for (const id of ["r2", "r3"]) await makeAdmission().admit(aCaller(), asking(id, time));
      const result = await admit(write);
      await time.advance(900);
      return result;
    };
    await expect(admission.admit(aCaller(), asking("r1", time))).resolves.toBeDefined();
    expect(accounting.of(key).inflight).toBe(3);
  });

  test("admit one if their clocks differ by seconds", async () => {
    const ahead = new FakeTime(time.clock() + 5_000);
    await admissionOver(accounting, ahead, { burst: 3, perMinute: 60 }).admission.admit(aCaller(), asking("r1", ahead));
    const behind = admissionOver(accounting, time, { burst: 3, perMinute: 60 }).admission;
    await expect(behind.admit(aCaller(), asking("r2", time))).rejects.toMatchObject({ code: "rate_limited" });
    await time.advance(5_000);
    await expect(behind.admit(aCaller(), asking("r3", time))).resolves.toBeDefined();
    expect(soundness(accounting.of(key))).toEqual(sound);
  });
});

describe("when the store's answer is lost for good", () => {
  const outage = () => new Refusal("store_unavailable", "no answer");

  test("a reservation that was made all the same is released", async () => {
    const { admission } = admissionOver(accounting, time);
    let lost = 0;
    accounting.disturb = (call, when) => {
      if (call === "admit" && when === "after" && lost++ === 0) throw outage();
    };
    await expect(admission.admit(aCaller(), asking("r1", time))).rejects.toMatchObject({ code: "store_unavailable" });
    expect(accounting.of(key)).toMatchObject({ spent: 0, committed: 0, inflight: 0, reservations: [] });
  });

  test("a call without a reservation has nothing to release", async () => {
    const { admission } = admissionOver(accounting, time);
    accounting.disturb = (call) => {
      if (call === "admit") throw outage();
    };
    await expect(admission.admit(aCaller(), undefined)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(accounting.calls).toEqual(["admit"]);
  });
});

describe("one who asks again while the last call is being settled", () => {
  const limited = (grant: Parameters<typeof aGrant>[0]) => aCaller({ grant: aGrant(grant) });

  test.each([
    ["with room for one reserved cost", limited({ monthly_budget_usd: usd(15) })],
    ["with one call in flight allowed", limited({ max_in_flight: 1 })],
  ])("%s waits for the settlement and is admitted", async (_name, caller) => {
    const pauses: number[] = [];
    const { admission, settlements } = admissionOver(accounting, time, {
      pause: async (milliseconds) => {
        if (pauses.push(milliseconds) === 2) await settlements.settle(first, costing(5));
      },
    });
    const first = await admission.admit(caller, asking("r1", time));
    await expect(admission.admit(caller, asking("r2", time))).resolves.toMatchObject({ spending: { spent: 5 } });
    expect(pauses).toHaveLength(2);
  });

  test("is refused when the call goes on, well within a second", async () => {
    const pauses: number[] = [];
    const pause = async (milliseconds: number) => void pauses.push(milliseconds);
    const { admission } = admissionOver(accounting, time, { pause });
    const caller = limited({ max_in_flight: 1 });
    await admission.admit(caller, asking("r1", time));
    await expect(admission.admit(caller, asking("r2", time))).rejects.toMatchObject({ code: "concurrency_limited" });
    expect(pauses.reduce((sum, each) => sum + each, 0)).toBeLessThan(500);
    expect(accounting.of(key)).toMatchObject({ inflight: 1, reservations: [{ requestId: "r1" }] });
  });

  test.each([
    ["over its budget", { monthly_budget_usd: 0 }, "budget_exceeded"],
    ["over its rate", { rate_limit: { burst: 1, per_minute: 1 } }, "rate_limited"],
  ])("is refused at once when %s", async (_name, grant, code) => {
    const pauses: number[] = [];
    const { admission } = admissionOver(accounting, time, { pause: async (each) => void pauses.push(each) });
    const caller = limited(grant);
    await admission.admit(caller, asking("r1", time)).catch(() => {});
    await expect(admission.admit(caller, asking("r2", time))).rejects.toMatchObject({ code });
    expect(pauses).toEqual([]);
  });
});

describe("a refusal", () => {
  const headersOf = async (grant: Parameters<typeof aGrant>[0]) => {
    const { admission } = admissionOver(accounting, time);
    const caller = aCaller({ grant: aGrant(grant) });
    await admission.admit(caller, asking("r1", time)).catch(() => {});
    const refusal: unknown = await admission.admit(caller, asking("r2", time)).catch((error) => error);
    return refusalHeaders(refusal as Refusal);
  };

  test.each([
    ["the rate", { rate_limit: { burst: 1, per_minute: 60 } }, "1", "0"],
    ["calls in flight", { max_in_flight: 1 }, "10000", "9999"],
    ["what others reserve", { monthly_budget_usd: usd(15) }, "10000", "9999"],
  ])("for %s says what the rate limit leaves", async (_name, grant, limit, remaining) => {
    expect(await headersOf(grant)).toMatchObject({
      "anthropic-ratelimit-requests-limit": limit,
      "anthropic-ratelimit-requests-remaining": remaining,
      "anthropic-ratelimit-requests-reset": expect.any(String),
    });
  });

  test("for a spent budget speaks of no rate", async () => {
    expect(await headersOf({ monthly_budget_usd: 0 })).toEqual({});
  });

  test("just after midnight of a call of last month names last month's end", async () => {
    time = new FakeTime("2026-11-30T23:59:59.999Z");
    accounting.disturb = (call) => {
      if (call === "admit") void time.advance(1_000);
    };
    const { admission } = admissionOver(accounting, time);
    const caller = aCaller({ grant: aGrant({ monthly_budget_usd: 0 }) });
    await expect(admission.admit(caller, asking("r1", time))).rejects.toMatchObject({
      code: "budget_exceeded",
      message: expect.stringContaining("2026-12-01T00:00:00.000Z"),
      resetsAt: Date.parse("2026-12-01T00:00:00.000Z"),
    });
  });
});

describe("a reservation whose function is gone", () => {
  test("is settled at its bounds by the next admission, whether that is admitted or refused", async () => {
    const { admission } = admissionOver(accounting, time);
    await admission.admit(aCaller(), asking("gone", time));
    await time.advance(960_000);
    await admission.admit(aCaller(), asking("next", time));
    expect(accounting.of(key)).toMatchObject({ spent: 10, committed: 20, inflight: 1 });
    expect(accounting.rows.get("gone")).toMatchObject({
      source: "estimated",
      cost: 10,
      usage: { input: 4, output: 3, cache_read: 0 },
    });

    const one = aCaller({ grant: aGrant({ max_in_flight: 1 }) });
    await time.advance(960_000);
    await expect(admission.admit(one, asking("third", time))).resolves.toBeDefined();
    expect(accounting.of(key)).toMatchObject({ spent: 20, inflight: 1 });
  });

  test("is left alone until its function cannot be running any more", async () => {
    const { admission } = admissionOver(accounting, time);
    await admission.admit(aCaller(), asking("running", time));
    await time.advance(959_999);
    await admission.admit(aCaller(), asking("next", time));
    expect(accounting.of(key).inflight).toBe(2);
  });

  test("does not take an admitted call down if it cannot be settled now", async () => {
    const { admission } = admissionOver(accounting, time);
    await admission.admit(aCaller(), asking("gone", time));
    await time.advance(960_000);
    accounting.disturb = (call) => {
      if (call === "putIfAbsent") throw new Refusal("store_unavailable", "down");
    };
    await expect(admission.admit(aCaller(), asking("next", time))).resolves.toBeDefined();
    expect(accounting.of(key).inflight).toBe(2);
  });
});

describe("a reservation whose function is gone, and that cannot be settled now", () => {
  const unsettleable = async (changes: Partial<Grant>) => {
    const { admission } = admissionOver(accounting, time);
    for (const id of ["gone", "gone too"]) await admission.admit(aCaller(), asking(id, time));
    await time.advance(960_000);
    return { admission, caller: aCaller({ grant: aGrant(changes) }) };
  };
  const inConflict = () => new Refusal("store_unavailable", "in conflict to the end");

  test.each<[string, Partial<Grant>, RefusalCode]>([
    ["calls in flight", { max_in_flight: 2 }, "concurrency_limited"],
    ["what others reserve", { monthly_budget_usd: usd(20) }, "budget_reserved"],
    ["the budget", { monthly_budget_usd: 0 }, "budget_exceeded"],
  ])("leaves a refusal for %s as it is", async (_name, limits, code) => {
    const { admission, caller } = await unsettleable(limits);
    accounting.disturb = (call) => {
      if (call === "settle") throw inConflict();
    };
    await expect(admission.admit(caller, asking("next", time))).rejects.toMatchObject({ code });
    expect(accounting.of(key)).toMatchObject({ inflight: 2 });
  });

  test("is no reason not to look again after another one was", async () => {
    const { admission, caller } = await unsettleable({ max_in_flight: 2 });
    let settled = 0;
    accounting.disturb = (call, when) => {
      if (call === "settle" && when === "before" && settled++ > 0) throw inConflict();
    };
    await expect(admission.admit(caller, asking("next", time))).resolves.toBeDefined();
    expect(accounting.of(key)).toMatchObject({ spent: 10, inflight: 2 });
  });
});

describe("a tenant on free credit", () => {
  const caller = aCaller({ tenant: aTenant({ has_payment_method: false }) });

  test("draws on it with each admission, and gets back what it did not use", async () => {
    await accounting.grant(tenantId);
    const { admission, settlements } = admissionOver(accounting, time);
    const admitted = await admission.admit(caller, asking("r1", time, { bounds: { input: 6_000, output: 3_000 } }));
    expect(accounting.credits.get(tenantId)).toMatchObject({ spent: 0, committed: 9_000 });
    await expect(
      admission.admit(caller, asking("r2", time, { bounds: { input: 1_000, output: 1 } })),
    ).rejects.toMatchObject({ code: "budget_reserved" });
    await settlements.settle(admitted, costing(10, 500));
    expect(accounting.credits.get(tenantId)).toMatchObject({ spent: 500, committed: 500 });
  });

  test("counts without drawing on it, whatever others have reserved of it, and not once it is used up", async () => {
    await accounting.grant(tenantId);
    const { admission, settlements } = admissionOver(accounting, time);
    const admitted = await admission.admit(caller, asking("r1", time, { bounds: { input: 9_000, output: 1_001 } }));
    await admission.admit(caller, undefined);
    expect(accounting.credits.get(tenantId)).toMatchObject({ spent: 0, committed: 10_001 });
    await settlements.settle(admitted, costing(10, 10_000));
    await expect(admission.admit(caller, undefined)).rejects.toMatchObject({ code: "credit_exhausted" });
  });

  test("needs none with a payment method, nor where the stack does not ask for it", async () => {
    const { admission } = admissionOver(accounting, time);
    await expect(admission.admit(aCaller(), undefined)).resolves.toBeDefined();
    await expect(admission.admit(aCaller(), asking("r1", time))).resolves.toBeDefined();
    await expect(admission.admit(caller, asking("r2", time))).rejects.toMatchObject({ code: "credit_exhausted" });
    const lenient = admissionOver(accounting, time, { enforceFreeCredit: false }).admission;
    await expect(lenient.admit(caller, asking("r3", time))).resolves.toMatchObject({
      reservation: expect.not.objectContaining({ creditTokens: expect.anything() }),
    });
  });

  test("gives the credit of a dead function back at its bounds", async () => {
    await accounting.grant(tenantId);
    const { admission } = admissionOver(accounting, time);
    await admission.admit(caller, asking("gone", time, { bounds: { input: 3_000, output: 2_000 } }));
    await time.advance(960_000);
    await admission.admit(caller, asking("next", time, { bounds: { input: 1, output: 1 } }));
    expect(accounting.credits.get(tenantId)).toMatchObject({ spent: 5_000, committed: 5_002 });
  });
});

test("one who is always overtaken by others is asked to come back, and keeps nothing reserved", async () => {
  const { admission } = admissionOver(accounting, time);
  const answers: Admitted[] = [];
  accounting.admit = async () => ({
    admitted: false,
    spending: { spent: 0, committed: 0, inflight: 0, tat: 0, reservations: [] },
    credit: undefined,
  });
  await expect(admission.admit(aCaller(), asking("r1", time)).then((each) => answers.push(each))).rejects.toMatchObject(
    {
      code: "rate_limited",
      retryAfterSeconds: 1,
    },
  );
  expect(answers).toEqual([]);
});
