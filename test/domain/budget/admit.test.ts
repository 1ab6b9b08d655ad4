import { TransactionCanceledException } from "@aws-sdk/client-dynamodb";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Reserved } from "../../../domain/budget/admitted.ts";
import { maxConflicts } from "../../../domain/budget/attempt.ts";
import { Refusal } from "../../../domain/kernel/refusal.ts";
import { refusalHeaders } from "../../../handlers/proxy/limit-headers.ts";
import {
  aCaller,
  admissionOver,
  aGrant,
  asking,
  aTenant,
  costing,
  costingAtMost,
  ofTokens,
  tenantId,
} from "../../support/accounting/admissions.ts";
import { MemoryAccounting, sound, soundness } from "../../support/accounting/memory-accounting.ts";
import { FakeTime } from "../../support/fake-time.ts";

let time: FakeTime;
let accounting: MemoryAccounting;
beforeEach(() => {
  time = new FakeTime();
  accounting = new MemoryAccounting(() => time.clock());
});

const key = { tenantId, callerId: "dev", month: "2026-11" };
const usd = (nano: number) => nano / 1_000_000_000;
const within = (nano: number) => aCaller({ grant: aGrant({ monthly_budget_usd: usd(nano) }) });
const outage = () => new Refusal("store_unavailable", "no answer");

/** The nth write to a single item is not answered, although it took effect, or without that. */
function losing(when: "before" | "after", ...nths: number[]): void {
  let nth = 0;
  accounting.onCommand = (command, moment) => {
    if (command === "UpdateCommand" && moment === when && nths.includes(++nth)) throw outage();
  };
}

/** Does something once, when so many reads of the caller's spending have been made. */
function atRead(nth: number, act: () => Promise<unknown>): void {
  let reads = 0;
  accounting.onCommand = async (command, when) => {
    if (command === "GetCommand" && when === "before" && ++reads === nth) await act();
  };
}

describe("an admission", () => {
  test("an admission costs one call to the store", async () => {
    const { admission } = admissionOver(accounting, time);
    await admission.admit(aCaller(), asking("r1"));
    expect(accounting.commands).toEqual(["UpdateCommand"]);
    await time.advance(1_000);
    await admission.admit(aCaller(), asking("r2"));
    expect(accounting.commands).toEqual(["UpdateCommand", "UpdateCommand"]);
  });

  test("an admission returns the caller's state after it", async () => {
    const { admission } = admissionOver(accounting, time);
    expect(await admission.admit(aCaller(), asking("r1"))).toMatchObject({
      key,
      limits: { cap: 100_000_000_000, enforcement: "reserved" },
      spending: { committed: 10, inflight: 1 },
      reservation: {
        requestId: "r1",
        amount: 10,
        version: 0,
        admittedAt: time.clock(),
        leaseEndsAt: time.clock() + 80_000,
        bounds: { input: 4, output: 3 },
      },
      answerLost: false,
    });
  });

  test("an admission without a reservation is counted only in the rate limit", async () => {
    const { admission } = admissionOver(accounting, time, { burst: 1, perMinute: 60 });
    await admission.admit(aCaller(), undefined);
    expect(accounting.of(key)).toMatchObject({ committed: 0, inflight: 0, reservations: [] });
    await expect(admission.admit(aCaller(), undefined)).rejects.toMatchObject({ code: "rate_limited" });
  });

  test("an admission in the last millisecond of a month belongs to that month, and is settled there later", async () => {
    time = new FakeTime("2026-11-30T23:59:59.999Z");
    const { admission, settlements } = admissionOver(accounting, time);
    const late = await admission.admit(aCaller(), asking("r1"));
    await time.advance(1);
    const early = await admission.admit(aCaller(), asking("r2"));
    expect([late.key.month, early.key.month]).toEqual(["2026-11", "2026-12"]);
    await settlements.settle(late, costing(7));
    expect(accounting.of(late.key)).toMatchObject({ spent: 7, committed: 7 });
    expect(accounting.of(early.key)).toMatchObject({ spent: 0, committed: 10 });
    expect(accounting.rows.get("r1")?.admitted_at).toBe("2026-11-30T23:59:59.999Z");
  });

  test("a new month begins with a new budget", async () => {
    const { admission, settlements } = admissionOver(accounting, time);
    await settlements.settle(await admission.admit(within(5), asking("r1")), costing(5));
    await expect(admission.admit(within(5), asking("r2"))).rejects.toMatchObject({ code: "budget_exceeded" });
    await time.advance(Date.parse("2026-12-01T00:00:00Z") - time.clock());
    await expect(admission.admit(within(5), asking("r3"))).resolves.toBeDefined();
  });

  test("a budget of 0 refuses every admission, at the cost of one read of what is spent", async () => {
    const { admission } = admissionOver(accounting, time, { freshGrant: () => within(0).grant });
    await expect(admission.admit(within(0), asking("r1"))).rejects.toMatchObject({ code: "budget_exceeded" });
    expect(accounting.commands).toEqual(["GetCommand"]);
  });

  test("an owner without a grant has no cap, but the stack's limits", async () => {
    const { admission } = admissionOver(accounting, time, { maxInFlight: 1 });
    const owner = aCaller({ callerId: "owner", grant: undefined });
    const { limits } = await admission.admit(owner, asking("r1", costingAtMost(10 ** 15)));
    expect(limits.cap).toBeUndefined();
    await expect(admission.admit(owner, asking("r2"))).rejects.toMatchObject({ code: "concurrency_limited" });
  });

  test("an admission uses the grant's own limits if there are some", async () => {
    const { admission } = admissionOver(accounting, time);
    const grant = aGrant({ max_in_flight: 1, rate_limit: { burst: 3, per_minute: 60 } });
    const { limits } = await admission.admit(aCaller({ grant }), asking("r1"));
    expect(limits).toMatchObject({ maxInFlight: 1, rate: { burst: 3, perMinute: 60 } });
  });

  test("an admission shortens no answer because of a call that has ended, which its instance still remembers", async () => {
    const { admission } = admissionOver(accounting, time);
    const long = (id: string) => asking(id, { maxTokens: 60_000, costAt: (output) => 1_000 + output });
    const { reservation } = await admission.admit(within(100_000), long("r1"));
    await accounting.newInstance().settle({ key, reservation, cost: 1, tokens: 0 });
    const second = await admission.admit(within(100_000), long("r2"));
    expect(second.reservation.bounds.output).toBe(60_000);
  });

  test("an admission shortens the answer to what fits beside others, and lets one call at a time overdraw", async () => {
    const { admission } = admissionOver(accounting, time);
    const long = (id: string) => asking(id, { maxTokens: 60_000, costAt: (output) => 1_000 + output });
    const admitted: Reserved[] = [];
    for (const id of ["r1", "r2", "r3", "r4", "r5"]) admitted.push(await admission.admit(within(100_000), long(id)));
    expect(admitted.map(({ reservation }) => [reservation.bounds.output, reservation.overdraft])).toEqual([
      [60_000, false],
      [16_384, false],
      [8_192, false],
      [8_192, false],
      [8_192, true],
    ]);
    expect(soundness(accounting.of(key))).toEqual(sound);
  });
});

describe("limits that were changed", () => {
  test("changed limits count at once: before a refusal the grant is read again, past its cache", async () => {
    let reads = 0;
    const raised = aGrant({ monthly_budget_usd: usd(100) });
    const freshGrant = () => {
      reads += 1;
      return raised;
    };
    const options = { freshGrant };
    const { admission, settlements } = admissionOver(accounting, time, options);
    await settlements.settle(await admission.admit(within(5), asking("r1")), costing(5));
    const admitted = await admission.admit(within(5), asking("r2"));
    expect(admitted.limits.cap).toBe(100);
    await settlements.settle(admitted, costing(95));
    await expect(admission.admit(within(5), asking("r3"))).rejects.toMatchObject({ code: "budget_exceeded" });
    expect(reads).toBe(2);
  });

  test.each([
    ["calls in flight", { max_in_flight: 1 }, { max_in_flight: 2 }],
    ["the rate", { rate_limit: { burst: 1, per_minute: 1 } }, { rate_limit: { burst: 1, per_minute: 60_000 } }],
  ])("changed limits count at once for %s, too", async (_name, before, after) => {
    const { admission } = admissionOver(accounting, time, { freshGrant: () => aGrant(after) });
    await admission.admit(aCaller({ grant: aGrant(before) }), asking("r1"));
    await expect(admission.admit(aCaller({ grant: aGrant(before) }), asking("r2"))).resolves.toBeDefined();
  });

  test("changed limits of a caller who has rested are not read again", async () => {
    const freshGrant = () => {
      throw new Error("The bucket is full under any limit");
    };
    const { admission } = admissionOver(accounting, time, { freshGrant });
    const of = (per_minute: number) => aCaller({ grant: aGrant({ rate_limit: { burst: 1, per_minute } }) });
    await admission.admit(of(60), asking("r1"));
    await time.advance(1_000);
    await expect(admission.admit(of(600), asking("r2"))).resolves.toBeDefined();
  });

  test("changed limits remove a debt of the rate limit that they could not have caused", async () => {
    const { admission } = admissionOver(accounting, time);
    const slow = aCaller({ grant: aGrant({ rate_limit: { burst: 60, per_minute: 1 } }) });
    for (let call = 0; call < 60; call++) await admission.admit(slow, asking(`r${call}`));
    await expect(admission.admit(slow, asking("over"))).rejects.toMatchObject({ code: "rate_limited" });
    const fast = aCaller({ grant: aGrant({ rate_limit: { burst: 60, per_minute: 600 } }) });
    await expect(admission.admit(fast, asking("next"))).resolves.toBeDefined();
    // The bucket is as empty as the new limits can make it.
    await expect(admission.admit(fast, asking("after"))).rejects.toMatchObject({ code: "rate_limited" });
    await time.advance(100);
    await expect(admission.admit(fast, asking("later"))).resolves.toBeDefined();
  });
});

describe("instances of different speed and clock", () => {
  test("a call whose write is slow is admitted even if another call is admitted meanwhile", async () => {
    const { makeAdmission } = admissionOver(accounting, time, { burst: 2, perMinute: 6_000 });
    accounting.onCommand = async () => {
      accounting.onCommand = () => {};
      for (const id of ["r2", "r3"]) await makeAdmission(accounting.newInstance()).admit(aCaller(), asking(id));
      await time.advance(900);
    };
    await expect(makeAdmission(accounting.newInstance()).admit(aCaller(), asking("r1"))).resolves.toBeDefined();
    expect(accounting.of(key).inflight).toBe(3);
  });

  test("a call is admitted although the instances' clocks differ by seconds", async () => {
    const ahead = new FakeTime(time.clock() + 2_000);
    const { makeAdmission } = admissionOver(accounting, ahead, { burst: 3, perMinute: 60 });
    await makeAdmission(accounting.newInstance(ahead.clock)).admit(aCaller(), asking("r1"));
    const behind = admissionOver(accounting, time, { burst: 3, perMinute: 60 }).admission;
    await expect(behind.admit(aCaller(), asking("r2"))).rejects.toMatchObject({ code: "rate_limited" });
    await time.advance(2_000);
    await expect(behind.admit(aCaller(), asking("r3"))).resolves.toBeDefined();
    expect(soundness(accounting.of(key))).toEqual(sound);
  });
});

describe("an admission that is not answered", () => {
  test("an admission that is not answered is repeated as the next attempt", async () => {
    const { admission } = admissionOver(accounting, time);
    losing("before", 1);
    const admitted = await admission.admit(aCaller(), asking("r1"));
    expect(admitted).toMatchObject({ reservation: { version: 1_000 }, answerLost: true });
  });

  test("an admission that is not answered is found by the next attempt if it took effect, and counted once", async () => {
    const { admission } = admissionOver(accounting, time);
    losing("after", 1, 2);
    const admitted = await admission.admit(aCaller(), asking("r1"));
    expect(admitted).toMatchObject({ reservation: { version: 0 }, answerLost: true });
    expect(accounting.of(key)).toMatchObject({ committed: 10, inflight: 1 });
  });

  test("an unanswered admission is given up after three attempts, and can never take effect", async () => {
    const { admission } = admissionOver(accounting, time);
    losing("after", 1, 2, 3);
    await expect(admission.admit(aCaller(), asking("r1"))).rejects.toMatchObject({ code: "store_unavailable" });
    expect(accounting.of(key)).toMatchObject({ committed: 0, inflight: 0, reservations: [] });
    expect(accounting.of(key).tombstones).toEqual([{ requestId: "r1", leaseEndsAt: time.clock() + 80_000 }]);
    accounting.onCommand = () => {};
    // One that comes late meets the tombstone; the next admission after its time clears it away.
    await time.advance(83_001);
    await admission.admit(aCaller(), asking("r2"));
    expect(accounting.of(key).tombstones).toEqual([]);
  });

  test("an unanswered admission without a reservation needs no tombstone", async () => {
    const { admission } = admissionOver(accounting, time);
    losing("before", 1);
    await expect(admission.admit(aCaller(), undefined)).rejects.toMatchObject({ code: "store_unavailable" });
    expect(accounting.commands).toEqual(["UpdateCommand"]);
  });

  test("an admission that is answered after its lease has ended reserves nothing", async () => {
    const { admission } = admissionOver(accounting, time);
    const { admit } = accounting.spending;
    let passed = 80_000;
    accounting.spending.admit = async (write) => {
      const written = await admit(write);
      await time.advance(passed);
      return written;
    };
    const { settlements } = admissionOver(accounting, time);
    await settlements.release(await admission.admit(aCaller(), asking("r0")));
    passed += 1;
    await expect(admission.admit(aCaller(), asking("r1"))).rejects.toMatchObject({ code: "store_unavailable" });
    expect(accounting.of(key)).toMatchObject({ committed: 0, inflight: 0, reservations: [] });
  });
});

describe("one who does not fit because of others", () => {
  test("a call that does not fit because of others waits with a ticket, and continues when one of them is settled", async () => {
    const { admission, settlements, makeAdmission } = admissionOver(accounting, time);
    await admission.admit(within(15), asking("r1"));
    const second = await admission.admit(within(15), asking("r2"));
    expect(second.reservation.overdraft).toBe(true);
    atRead(4, async () => {
      expect(accounting.of(key)).toMatchObject({ inflight: 3, committed: 10 });
      await settlements.settle(second, costing(4));
    });
    const third = await makeAdmission().admit(within(15), asking("r3"));
    expect(third).toMatchObject({ reservation: { requestId: "r3", amount: 10, version: 1, overdraft: true } });
    expect(accounting.calls.filter((call) => call === "enter" || call === "leave")).toEqual(["enter", "leave"]);
    expect(soundness(accounting.of(key))).toEqual(sound);
  });

  test("a call that does not fit because of others is refused after 45 seconds, and leaves nothing behind", async () => {
    const { admission } = admissionOver(accounting, time);
    for (const id of ["r1", "r2"]) await admission.admit(within(10), asking(id, costingAtMost(id === "r1" ? 9 : 8)));
    const before = accounting.of(key);
    const began = time.clock();
    const refused = await admission.admit(within(10), asking("r3")).catch((error) => error);
    expect(refused).toMatchObject({ code: "budget_reserved" });
    expect(refusalHeaders(refused)).toHaveProperty("anthropic-ratelimit-requests-limit");
    expect(time.clock() - began).toBeGreaterThan(45_000);
    expect(time.clock() - began).toBeLessThan(47_000);
    expect(accounting.of(key)).toMatchObject({ committed: before.committed, inflight: 2 });
    expect(accounting.rows.size).toBe(0);
  });

  test("a call does not wait if its tenant's waiting room is full", async () => {
    const { admission } = admissionOver(accounting, time);
    for (const id of ["r1", "r2"]) await admission.admit(within(10), asking(id, costingAtMost(id === "r1" ? 9 : 8)));
    for (const id of ["a", "b", "c"]) await accounting.waitingRoom.enter(tenantId, id, time.clock() + 60_000);
    const began = time.clock();
    await expect(admission.admit(within(10), asking("r3"))).rejects.toMatchObject({ code: "budget_reserved" });
    expect(time.clock()).toBe(began);
    await time.advance(60_001);
    // Their time is over, and so there is a place: this one waits until the two calls before it are thought dead.
    await expect(admission.admit(within(10), asking("r4"))).rejects.toMatchObject({ code: "budget_exceeded" });
    expect(accounting.calls.filter((call) => call === "leave")).toHaveLength(1);
  });

  test("a call that does not fit because of others waits although another tenant's room is full", async () => {
    const { admission } = admissionOver(accounting, time);
    for (const id of ["a", "b", "c"]) await accounting.waitingRoom.enter("another", id, time.clock() + 60_000);
    for (const id of ["r1", "r2"]) await admission.admit(within(10), asking(id, costingAtMost(id === "r1" ? 9 : 8)));
    const began = time.clock();
    await expect(admission.admit(within(10), asking("r3"))).rejects.toMatchObject({ code: "budget_reserved" });
    expect(time.clock() - began).toBeGreaterThan(45_000);
  });

  test("a call that waits costs one read before it has its ticket, and one for each look at the budget", async () => {
    const commands: string[][] = [];
    const { admission } = admissionOver(accounting, time, {
      pause: async () => {
        commands.push(accounting.commands.splice(0));
        if (commands.length === 3) await time.advance(46_000);
      },
    });
    for (const id of ["r1", "r2"]) await admission.admit(within(10), asking(id, costingAtMost(id === "r1" ? 9 : 8)));
    accounting.commands.length = 0;
    await expect(admission.admit(within(10), asking("r3"))).rejects.toMatchObject({ code: "budget_reserved" });
    // The place in the waiting room is one update, and the ticket another.
    expect(commands).toEqual([["GetCommand", "UpdateCommand", "UpdateCommand"], ["GetCommand"], ["GetCommand"]]);
  });

  test("a call whose ticket was taken over as a dead call's is refused at once, and leaves nothing behind", async () => {
    const { admission } = admissionOver(accounting, time, {
      pause: async () => {
        await time.advance(10_000);
        const tickets = accounting.of(key).reservations.filter(({ requestId }) => requestId === "r3");
        for (const reservation of tickets) await accounting.spending.settle({ key, reservation, cost: 0, tokens: 0 });
        accounting.calls.length = 0;
      },
    });
    for (const id of ["r1", "r2"]) await admission.admit(within(10), asking(id, costingAtMost(id === "r1" ? 9 : 8)));
    const began = time.clock();
    await expect(admission.admit(within(10), asking("r3"))).rejects.toMatchObject({ code: "rate_limited" });
    expect(time.clock() - began).toBe(10_000);
    expect(accounting.calls).not.toContain("admit");
    expect(accounting.of(key)).toMatchObject({ inflight: 2, tombstones: [{ requestId: "r3" }] });
  });

  test("a call whose ticket is written only after its wait is over looks at the budget once more, and is refused for that", async () => {
    const { admission } = admissionOver(accounting, time);
    for (const id of ["r1", "r2"]) await admission.admit(within(10), asking(id, costingAtMost(id === "r1" ? 9 : 8)));
    let updates = 0;
    accounting.onCommand = async (command, when) => {
      // The second update is the ticket, after the place in the waiting room.
      if (command === "UpdateCommand" && when === "after" && ++updates === 2) await time.advance(46_000);
    };
    await expect(admission.admit(within(10), asking("r3"))).rejects.toMatchObject({ code: "budget_reserved" });
  });

  test("a waiting call that others outrun keeps its ticket, and is admitted when they no longer do", async () => {
    let pauses = 0;
    const { admission, settlements } = admissionOver(accounting, time, {
      pause: async () => {
        if (++pauses === 1) await settlements.settle(first, costing(1));
      },
    });
    const first = await admission.admit(within(10), asking("r1", costingAtMost(9)));
    await admission.admit(within(10), asking("r2", costingAtMost(8)));
    const { admit, read } = accounting.spending;
    accounting.spending.admit = async (write) =>
      pauses === 1 ? { ...(await read(key, { onCredit: false })), written: false } : admit(write);
    const third = await admission.admit(within(10), asking("r3", costingAtMost(5)));
    expect([third.reservation.version, pauses]).toEqual([1, 2]);
  });

  test("a waiting call is admitted by what the store says, and not by what its instance remembers", async () => {
    let pauses = 0;
    const { admission, settlements } = admissionOver(accounting, time, {
      pause: async () => {
        if (++pauses === 2) await settlements.settle(first, costing(1));
        accounting.commands.length = 0;
      },
    });
    const first = await admission.admit(within(10), asking("r1", costingAtMost(9)));
    await admission.admit(within(10), asking("r2", costingAtMost(8)));
    const { reservation } = await admission.admit(within(10), asking("r3", costingAtMost(5)));
    // The last update gives the place in the waiting room back.
    expect(accounting.commands).toEqual(["GetCommand", "UpdateCommand", "UpdateCommand"]);
    expect([reservation.version, pauses]).toEqual([1, 2]);
  });

  test("a waiting call whose own ticket fills the last place in flight still waits, and is admitted", async () => {
    const caller = aCaller({ grant: aGrant({ monthly_budget_usd: usd(10), max_in_flight: 3 }) });
    let pauses = 0;
    const { admission } = admissionOver(accounting, time, {
      pause: async () => {
        if (++pauses !== 2) return;
        // The first call turns out to cost less, and is still in flight.
        const { reservation: from } = first;
        await accounting.spending.change({ key, from, to: { ...from, amount: 1, version: from.version + 1 } });
      },
    });
    const first = await admission.admit(caller, asking("r1", costingAtMost(9)));
    await admission.admit(caller, asking("r2", costingAtMost(8)));
    await expect(admission.admit(caller, asking("r3", costingAtMost(5)))).resolves.toBeDefined();
    expect(pauses).toBe(2);
  });

  test.each([
    ["as many calls are in flight as may be", { max_in_flight: 2 }],
    ["its turn in the rate limit has not come", { rate_limit: { burst: 2, per_minute: 1 } }],
  ])("a call does not wait for its budget if %s", async (_, limit) => {
    const caller = aCaller({ grant: aGrant({ monthly_budget_usd: usd(10), ...limit }) });
    const { admission } = admissionOver(accounting, time, { freshGrant: () => caller.grant });
    for (const id of ["r1", "r2"]) await admission.admit(caller, asking(id, costingAtMost(id === "r1" ? 9 : 8)));
    const began = time.clock();
    await expect(admission.admit(caller, asking("r3"))).rejects.toMatchObject({ code: "budget_reserved" });
    expect(time.clock()).toBe(began);
    expect(accounting.calls).not.toContain("enter");
  });

  test("a waiting call is refused once the budget is spent", async () => {
    const { admission, settlements } = admissionOver(accounting, time);
    const first = await admission.admit(within(10), asking("r1", costingAtMost(9)));
    await admission.admit(within(10), asking("r2", costingAtMost(8)));
    atRead(3, () => settlements.settle(first, costing(10)));
    await expect(admission.admit(within(10), asking("r3"))).rejects.toMatchObject({ code: "budget_exceeded" });
    expect(accounting.of(key)).toMatchObject({ spent: 10, inflight: 1 });
  });
});

describe("one who asks again while the last call is being settled", () => {
  const one = aCaller({ grant: aGrant({ max_in_flight: 1 }) });

  test("a second call of a caller who may have one in flight waits for the settlement of the first, and is admitted", async () => {
    const pauses: number[] = [];
    const { admission, settlements } = admissionOver(accounting, time, {
      pause: async (milliseconds) => {
        if (pauses.push(milliseconds) === 2) await settlements.settle(first, costing(5));
      },
    });
    const first = await admission.admit(one, asking("r1"));
    await expect(admission.admit(one, asking("r2"))).resolves.toMatchObject({ spending: { spent: 5 } });
    expect(pauses).toHaveLength(2);
  });

  test("a second call of a caller who may have one in flight is refused within a second if the first still runs", async () => {
    const pauses: number[] = [];
    const { admission } = admissionOver(accounting, time, { pause: async (ms) => void pauses.push(ms) });
    await admission.admit(one, asking("r1"));
    await expect(admission.admit(one, asking("r2"))).rejects.toMatchObject({ code: "concurrency_limited" });
    expect(pauses.reduce((sum, pause) => sum + pause)).toBeLessThan(500);
    expect(accounting.of(key)).toMatchObject({ inflight: 1, committed: 10 });
  });
});

describe("a reservation whose function is gone", () => {
  test("a dead function's reservation is booked at its upper bounds by the next admission after its lease, as a provisional row", async () => {
    const { admission } = admissionOver(accounting, time);
    await admission.admit(aCaller(), asking("gone"));
    await time.advance(83_001);
    await admission.admit(aCaller(), asking("next"));
    expect(accounting.of(key)).toMatchObject({ spent: 10, committed: 20, inflight: 1 });
    expect(accounting.rows.get("gone")).toMatchObject({
      source: "estimated",
      provisional: true,
      cost: 10,
      usage: { input: 4, output: 3, cache_read: 0 },
    });
  });

  test("a dead function's reservation blocks no call after its lease has ended: neither in flight, nor by its amount, nor by an overdraft", async () => {
    const one = aCaller({ grant: aGrant({ max_in_flight: 1, monthly_budget_usd: usd(15) }) });
    const { admission } = admissionOver(accounting, time);
    const { reservation } = await admission.admit(one, asking("gone", costingAtMost(16)));
    expect(reservation.overdraft).toBe(true);
    await time.advance(82_000);
    await expect(admission.admit(one, asking("too early"))).rejects.toMatchObject({ code: "concurrency_limited" });
    await time.advance(1_000);
    // What it may have cost is more than the budget: that is all that keeps the next one out, until the truth is known.
    await expect(admission.admit(one, asking("next"))).rejects.toMatchObject({ code: "budget_exceeded" });
    expect(accounting.of(key)).toMatchObject({ spent: 16, committed: 16, inflight: 0, overdraft: undefined });
  });

  test("a dead function's reservation is not touched until its lease has ended", async () => {
    const { admission } = admissionOver(accounting, time);
    await admission.admit(aCaller(), asking("running"));
    await time.advance(82_000);
    await admission.admit(aCaller(), asking("next"));
    expect(accounting.of(key).inflight).toBe(2);
  });

  test("a dead function's reservation is booked only after the admission of a call that fits beside it", async () => {
    accounting.grant(tenantId);
    const onCredit = aCaller({ tenant: aTenant({ has_payment_method: false }) });
    const { admission, makeAdmission } = admissionOver(accounting, time);
    await admission.admit(onCredit, asking("gone"));
    await time.advance(83_001);
    accounting.calls.length = 0;
    await makeAdmission(accounting.newInstance()).admit(onCredit, asking("next"));
    expect(accounting.calls.filter((call) => call === "admit" || call === "reclaim")).toEqual(["admit", "reclaim"]);
  });

  test("a dead function's reservation that cannot be booked does not make an admitted call fail", async () => {
    const { admission } = admissionOver(accounting, time);
    await admission.admit(aCaller(), asking("gone"));
    await time.advance(90_000);
    accounting.disturb = (call) => {
      if (call === "reclaim") throw outage();
    };
    await expect(admission.admit(aCaller(), asking("next"))).resolves.toBeDefined();
    expect(accounting.of(key).inflight).toBe(2);
  });

  test("a dead function's reservation does not make an admitted call fail if the store stops answering after booking it", async () => {
    const { admission } = admissionOver(accounting, time);
    await admission.admit(aCaller(), asking("dead"));
    await time.advance(84_000);
    accounting.disturb = (call) => {
      if (call === "read") throw outage();
    };
    await admission.admit(aCaller(), asking("r1"));
    expect(accounting.rows.get("dead")).toMatchObject({ provisional: true });
    expect(accounting.of(key)).toMatchObject({ inflight: 1 });
  });

  test("a dead function's reservation that cannot be booked does not change a refusal", async () => {
    const { admission } = admissionOver(accounting, time);
    for (const id of ["gone", "gone too"]) await admission.admit(aCaller(), asking(id));
    await time.advance(90_000);
    accounting.disturb = (call) => {
      if (call === "reclaim") throw outage();
    };
    const two = aCaller({ grant: aGrant({ max_in_flight: 2 }) });
    await expect(admission.admit(two, asking("next"))).rejects.toMatchObject({ code: "concurrency_limited" });
  });
});

describe("a tenant on free credit", () => {
  const caller = aCaller({ tenant: aTenant({ has_payment_method: false }) });

  test("a tenant on free credit reserves credit with each admission, and gets unused credit back", async () => {
    accounting.grant(tenantId);
    const { admission, settlements } = admissionOver(accounting, time);
    const admitted = await admission.admit(caller, asking("r1", ofTokens(6_000, 3_000)));
    expect(accounting.creditOf(tenantId)).toMatchObject({ spent: 0, committed: 9_000 });
    await settlements.settle(admitted, costing(10, 500));
    expect(accounting.creditOf(tenantId)).toMatchObject({ spent: 500, committed: 500, reservations: [] });
  });

  test("a tenant on free credit gets a short answer to a call with max_tokens: 128000", async () => {
    accounting.grant(tenantId);
    const { admission } = admissionOver(accounting, time);
    const { reservation } = await admission.admit(caller, asking("r1", ofTokens(2_100, 128_000)));
    expect(reservation.bounds).toEqual({ input: 2_100, output: 17_900 });
  });

  test.each([
    ["more than usual", 30_000, 12_000],
    ["less than usual", 5_000, 4_000],
  ])(
    "a tenant with a free credit of %s is admitted up to that amount, in an instance that has not read it",
    async (_, granted, spent) => {
      accounting.grant(tenantId, { granted_tokens: granted, spent, committed: spent });
      const { makeAdmission } = admissionOver(accounting, time);
      const admit = (id: string, tokens: number) =>
        makeAdmission(accounting.newInstance()).admit(caller, asking(id, ofTokens(tokens - 1, 1)));
      const room = 2 * granted - spent;
      await expect(admit("r1", room + 1)).rejects.toMatchObject({ code: "credit_exhausted" });
      await expect(admit("r2", room)).resolves.toBeDefined();
      expect(accounting.creditOf(tenantId)).toMatchObject({ spent, committed: 2 * granted });
    },
  );

  test.each([
    ["a minute ago", 60_000, "refused"],
    ["a moment ago", 59_999, "admitted"],
  ])(
    "a tenant whose free credit was lowered by hand is %s by an instance that had read it before",
    async (_, passed, expected) => {
      accounting.grant(tenantId);
      const { admission } = admissionOver(accounting, time);
      await admission.admit(caller, asking("r1", ofTokens(99, 1)));
      accounting.grant(tenantId, { granted_tokens: 50, spent: 100, committed: 200 });
      await time.advance(passed);
      const answer = await admission.admit(caller, asking("r2", ofTokens(99, 1))).then(
        () => "admitted",
        ({ code }) => (code === "credit_exhausted" ? "refused" : code),
      );
      expect(answer).toBe(expected);
    },
  );

  test("a tenant on free credit never uses more than twice its credit, by one call or many", async () => {
    accounting.grant(tenantId);
    const { admission } = admissionOver(accounting, time);
    const crowd = Array.from({ length: 20 }, (_, id) => ({ ...caller, callerId: `dev-${id}` }));
    const answers = await Promise.allSettled(
      crowd.map((each, id) => admission.admit(each, asking(`r${id}`, ofTokens(975_003, 128_000)))),
    );
    expect(answers.map(({ status }) => status)).not.toContain("fulfilled");
    for (const [id, each] of crowd.entries()) {
      await admission.admit(each, asking(`s${id}`, ofTokens(1_000, 900))).catch(() => {});
    }
    expect(accounting.creditOf(tenantId).committed).toBeLessThanOrEqual(20_000);
    expect(accounting.creditOf(tenantId).committed).toBeGreaterThan(18_000);
  });

  test("a call does not wait for free credit that other calls hold", async () => {
    accounting.grant(tenantId);
    const { admission } = admissionOver(accounting, time);
    await admission.admit(caller, asking("r1", ofTokens(18_000, 1_900)));
    const began = time.clock();
    await expect(admission.admit(caller, asking("r2", ofTokens(99, 101)))).rejects.toMatchObject({
      code: "budget_reserved",
    });
    expect(time.clock()).toBe(began);
  });

  test("counting tokens draws no free credit, is allowed whatever others have reserved, and is refused once the credit is used up", async () => {
    accounting.grant(tenantId);
    const { admission, settlements } = admissionOver(accounting, time);
    const admitted = await admission.admit(caller, asking("r1", ofTokens(9_000, 1_001)));
    await admission.admit(caller, undefined);
    expect(accounting.creditOf(tenantId)).toMatchObject({ spent: 0, committed: 10_001 });
    await settlements.settle(admitted, costing(10, 10_000));
    await expect(admission.admit(caller, undefined)).rejects.toMatchObject({ code: "credit_exhausted" });
  });

  test("counting tokens is refused once the credit is used up, also by an instance that remembers how much was left", async () => {
    accounting.grant(tenantId);
    const { admission, settlements, makeAdmission } = admissionOver(accounting, time);
    const other = makeAdmission(accounting.newInstance());
    await other.admit(caller, undefined);
    await settlements.settle(await admission.admit(caller, asking("r1", ofTokens(9_000, 1_001))), costing(10, 10_000));
    await expect(other.admit(caller, undefined)).rejects.toMatchObject({ code: "credit_exhausted" });
  });

  test("a tenant needs no free credit if it has a payment method, or if the stack does not enforce it", async () => {
    const { admission } = admissionOver(accounting, time);
    await expect(admission.admit(aCaller(), undefined)).resolves.toBeDefined();
    await expect(admission.admit(aCaller(), asking("r1"))).resolves.toBeDefined();
    await expect(admission.admit(caller, asking("r2"))).rejects.toMatchObject({ code: "credit_exhausted" });
    const lenient = admissionOver(accounting, time, { enforceFreeCredit: false }).admission;
    await expect(lenient.admit(caller, asking("r3"))).resolves.toMatchObject({ reservation: { onCredit: false } });
  });

  test("a tenant that has used up its free credit causes no store call when it calls again within a minute", async () => {
    accounting.grant(tenantId, { spent: 10_000, committed: 10_000 });
    const freshGrant = () => {
      throw new Error("A grant does not change a free credit");
    };
    const { admission } = admissionOver(accounting, time, { freshGrant });
    const ask = (id: string) => admission.admit(caller, asking(id));
    await expect(ask("r1")).rejects.toMatchObject({ code: "credit_exhausted" });
    const before = accounting.commands.length;
    await time.advance(59_999);
    await expect(ask("r2")).rejects.toMatchObject({ code: "credit_exhausted" });
    expect(accounting.commands).toHaveLength(before);
    accounting.grant(tenantId);
    await time.advance(1);
    await expect(ask("r3")).resolves.toBeDefined();
  });

  test("free credit reserved by a dead call is charged at its bounds when any caller of the tenant calls next", async () => {
    accounting.grant(tenantId);
    const { admission } = admissionOver(accounting, time);
    await admission.admit({ ...caller, callerId: "another" }, asking("gone", ofTokens(8_000, 1_500)));
    await time.advance(83_001);
    await admission.admit(caller, asking("next", ofTokens(1, 1)));
    expect(accounting.creditOf(tenantId)).toMatchObject({ spent: 9_500, committed: 9_502 });
    expect(accounting.of({ ...key, callerId: "another" })).toMatchObject({ inflight: 0, reservations: [] });
  });
});

describe("an admission whose every write is in another's way", () => {
  /** Each write meets another's transaction, or a condition that others have turned wrong. */
  function conflicting(name: string): void {
    accounting.onCommand = (command, when) => {
      if (command === "GetCommand" || when === "after") return;
      throw Object.assign(new Error("conflict"), { name });
    };
  }

  test("an admission whose writes always conflict is refused within its time, after a bounded number of writes", async () => {
    const { admission } = admissionOver(accounting, time);
    conflicting("TransactionConflictException");
    const began = time.clock();
    const refused = admission.admit(aCaller(), asking("r1"));
    await expect(refused).rejects.toMatchObject({ code: "store_unavailable" });
    expect(time.clock() - began).toBeLessThanOrEqual(60_000);
    expect(accounting.commands).toEqual(Array(maxConflicts).fill("UpdateCommand"));
    accounting.onCommand = () => {};
    expect(accounting.of(key).reservations).toEqual([]);
  });

  test("an admission on free credit that always conflicts is refused with a time to retry", async () => {
    accounting.grant(tenantId);
    const { admission } = admissionOver(accounting, time);
    accounting.onCommand = (command, when) => {
      if (command !== "TransactWriteCommand" || when === "after") return;
      const $metadata = {};
      const CancellationReasons = [{ Code: "None" }, { Code: "TransactionConflict" }];
      throw new TransactionCanceledException({ message: "conflict", $metadata, CancellationReasons });
    };
    const onCredit = aCaller({ tenant: aTenant({ has_payment_method: false }) });
    await expect(admission.admit(onCredit, asking("r1"))).rejects.toMatchObject({ code: "rate_limited" });
    expect(accounting.commands.filter((command) => command === "TransactWriteCommand")).toHaveLength(maxConflicts);
    // The credit is read before the first of them, and with the caller's spending after the last.
    expect(accounting.commands).toHaveLength(maxConflicts + 4);
  });

  test("an admission sends nothing after its time has ended, however slow the store is", async () => {
    const { admission } = admissionOver(accounting, time);
    const sentAt: number[] = [];
    const began = time.clock();
    conflicting("TransactionConflictException");
    const { onCommand } = accounting;
    accounting.onCommand = async (command, when) => {
      if (when === "before") await time.advance(9_000);
      if (command === "UpdateCommand") sentAt.push(time.clock() - began);
      await onCommand(command, when);
    };
    await expect(admission.admit(aCaller(), asking("r1"))).rejects.toMatchObject({ code: "rate_limited" });
    expect(Math.max(...sentAt)).toBeLessThanOrEqual(60_000 + 9_000);
    expect(sentAt).toHaveLength(7);
  });

  test("an admission that waits ends when its waiting time is over", async () => {
    const { admission } = admissionOver(accounting, time);
    for (const id of ["r1", "r2"]) await admission.admit(within(10), asking(id, costingAtMost(id === "r1" ? 9 : 8)));
    const began = time.clock();
    const before = accounting.commands.length;
    atRead(5, async () => conflicting("TransactionConflictException"));
    await expect(admission.admit(within(10), asking("r3"))).rejects.toBeInstanceOf(Refusal);
    expect(time.clock() - began).toBeLessThanOrEqual(60_000);
    expect(accounting.commands.length - before).toBeLessThan(300);
  });
});
