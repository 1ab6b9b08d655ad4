import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { beforeEach, describe, expect, test } from "@jest/globals";
import type { Reservation } from "../../../domain/budget/reservation.ts";
import type { ActiveCaller } from "../../../domain/budget/spending.ts";
import { nothingSpent, type Spending } from "../../../domain/budget/spending.ts";
import { Closing } from "../../../domain/metering/closing.ts";
import { Meter, MeteringFailed } from "../../../domain/metering/metering.ts";
import { maxNotices } from "../../../domain/notices/due-notices.ts";
import type { DueNotice } from "../../../domain/notices/notice.ts";
import { aRow, MemoryMetering } from "../../support/accounting/memory-metering.ts";

const month = "2026-11";
const job = { month, shard: 7 };
const at = (time: string) => Date.parse(`${time}Z`);

let store: MemoryMetering;
let pages: Iterable<ActiveCaller[]> | AsyncIterable<ActiveCaller[]>;
let reclaimed: string[];
let lines: { message: string; facts: Record<string, unknown> }[];
let reclaim: () => void;
let notices: Record<"ofCallers" | "ofCap" | "send", (...input: unknown[]) => Promise<DueNotice[]>> | undefined;
let now: number;
beforeEach(() => {
  store = new MemoryMetering();
  [pages, reclaimed, lines] = [[], [], []];
  reclaim = () => {};
  notices = undefined;
  now = at("2026-11-21T06:06:00");
});

function aCaller(tenantId: string, callerId: string, spending: Partial<Spending> = {}): ActiveCaller {
  const firstAdmittedAt = at("2026-11-21T04:30:00");
  const tat = at("2026-11-21T05:30:00") * 1000;
  return { key: { tenantId, callerId, month }, firstAdmittedAt, spending: { ...nothingSpent, tat, ...spending } };
}

function aReservation(admittedAt: string): Reservation {
  const bounds = { input: 1, output: 1 };
  const times = { leaseEndsAt: now, admittedAt: at(admittedAt) };
  const place = { profile: "eu.anthropic.claude-sonnet-5", region: "eu-central-1" };
  return { requestId: "r", amount: 1, version: 0, overdraft: false, onCredit: false, bounds, ...times, ...place };
}

function meter(): Meter {
  return new Meter({
    ...store,
    activeCallers: {
      async *of() {
        yield* pages;
      },
    },
    reclaim: {
      async spending(key) {
        if (key.tenantId === "poisoned") reclaim();
        reclaimed.push(`${key.tenantId} ${key.callerId}`);
        return { reclaimed: [], changed: false };
      },
    },
    closing: new Closing({ ...store, clock: () => now }),
    notices: notices as never,
    log: {
      info: (message, facts) => void lines.push({ message, facts }),
      problem: (message, facts) => void lines.push({ message, facts }),
    },
    clock: () => now,
  });
}

const progressOf = (tenantId: string) => store.progressOf.get(`${tenantId} ${month}`);
const rowOf = (tenant_id: string, id: string, time = "2026-11-21T05:10:00") =>
  aRow(`${tenant_id}${id}`, { tenant_id, admitted_at: `${time}.000Z` });

describe("a job", () => {
  test("a job of the meter handles all callers, and closes the hours of each tenant from its first call on", async () => {
    pages = [
      [aCaller("t1", "a"), aCaller("t1", "b")],
      [aCaller("t1", "c"), aCaller("t2", "a")],
    ];
    store.put(rowOf("t1", "x"), rowOf("t2", "y", "2026-11-21T04:40:00"));
    await meter().run(job);
    expect(reclaimed).toEqual(["t1 a", "t1 b", "t1 c", "t2 a"]);
    expect(new Set(store.reportsOf.keys())).toEqual(new Set(["t1 2026-11-21T05", "t2 2026-11-21T04"]));
    expect(progressOf("t1")).toEqual({ next: "2026-11-21T06", waiting: [], version: 1 });
    expect(lines).toEqual([{ message: "metering job", facts: { ...job, tenants: 2, open: 2, failures: 0 } }]);
  });

  test("a job of the meter does not touch an hour until five minutes after its end", async () => {
    now = at("2026-11-21T06:04:59");
    pages = [[aCaller("t1", "a")]];
    await meter().run(job);
    expect(progressOf("t1")?.next).toBe("2026-11-21T05");
  });

  test("a job of the meter reads no hour after the last call of all callers", async () => {
    now = at("2026-11-21T12:10:00");
    pages = [[aCaller("t1", "a")]];
    await meter().run(job);
    expect(store.calls.filter((call) => call === "hour")).toHaveLength(2);
    expect(progressOf("t1")?.next).toBe("2026-11-21T12");
  });

  test("a job of the meter repeats nothing if nothing is new", async () => {
    pages = [[aCaller("t1", "a")]];
    store.put(rowOf("t1", "x"));
    await meter().run(job);
    store.calls.length = 0;
    await meter().run(job);
    expect(store.calls).toEqual(["isDone", "late", "progress"]);
  });

  test("a job of the meter rolls up hours of late corrections, of any month", async () => {
    const late = { tenant_id: "t1", id: "late", hour: "2026-10-20T05", difference: -5 };
    store.put(rowOf("t1", "x", "2026-10-20T05:01:00"));
    store.adjustments.set("late", late);
    await meter().run(job);
    expect(store.rollupsOf.has("t1 2026-10-20T05")).toBe(true);
    expect([store.adjustments.size, store.totalOf.get("t1")]).toEqual([0, -5]);
  });
});

describe("an hour in which a call is in flight", () => {
  test("an hour with a call in flight waits, and later hours do not", async () => {
    pages = [[aCaller("t1", "a", { reservations: [aReservation("2026-11-21T04:45:00")] }), aCaller("t1", "b")]];
    store.put(rowOf("t1", "x"), rowOf("t1", "y", "2026-11-21T04:40:00"));
    await meter().run(job);
    expect([...store.reportsOf.keys()]).toEqual(["t1 2026-11-21T05"]);
    expect(progressOf("t1")).toMatchObject({ next: "2026-11-21T06", waiting: ["2026-11-21T04"] });
    pages = [[aCaller("t1", "a"), aCaller("t1", "b")]];
    await meter().run(job);
    expect(store.reportsOf.has("t1 2026-11-21T04")).toBe(true);
    expect(progressOf("t1")?.waiting).toEqual([]);
  });
});

describe("the cap of a workspace", () => {
  const marks = () => [...store.capOf].map(([tenantId, { capped_month }]) => [tenantId, capped_month]);
  const reached = () => [
    [aCaller("t1", "a", { spent: 6e9 })],
    [aCaller("t1", "b", { spent: 4e9 }), aCaller("t2", "a")],
  ];

  test("a workspace is marked as capped for the month once all callers together have spent the cap", async () => {
    pages = reached();
    store.capOf.set("t1", { monthly_cap_usd: 10 }).set("t2", { monthly_cap_usd: 10 });
    await meter().run(job);
    expect(marks()).toEqual([
      ["t1", { month, spent: 1e10 }],
      ["t2", undefined],
    ]);
    store.capOf.set("t1", { ...store.capOf.get("t1"), monthly_cap_usd: 11 });
    pages = reached();
    await meter().run(job);
    expect(marks()[0]).toEqual(["t1", undefined]);
  });

  test("a workspace's cap is compared for this month; the job of the previous month neither sets nor removes the mark", async () => {
    now = at("2026-12-01T00:10:00");
    pages = reached();
    const capped_month = { month: "2026-12", spent: 1 };
    store.capOf.set("t1", { monthly_cap_usd: 10 }).set("t2", { monthly_cap_usd: 10, capped_month });
    await meter().run(job);
    expect(marks()).toEqual([
      ["t1", undefined],
      ["t2", capped_month],
    ]);
  });

  test("a workspace's cap is compared even if an hour cannot be closed, and hours are closed even if the cap cannot be compared", async () => {
    pages = [[...(reached()[0] ?? []), { key: aCaller("t1", "x").key, problem: new Error("broken") }]];
    store.capOf.set("t1", { monthly_cap_usd: 5 });
    await expect(meter().run(job)).rejects.toMatchObject({ failures: 1 });
    expect(marks()).toEqual([["t1", { month, spent: 6e9 }]]);
    pages = reached();
    store.put(rowOf("t1", "x"));
    store.caps.of = () => Promise.reject(new Error("throttled"));
    await expect(meter().run(job)).rejects.toMatchObject({ failures: 2 });
    expect(store.reportsOf.has("t1 2026-11-21T05")).toBe(true);
    expect(lines.map(({ message }) => message)).toContain("a tenant's cap could not be compared");
  });
});

describe("what is to be mailed", () => {
  const due = (tenant_id: string, caller_id: string) =>
    ({ subject: { kind: "budget", tenant_id, month, caller_id }, record: {} }) as DueNotice;

  function collected(fail?: "ofCallers" | "ofCap" | "send") {
    const sent: string[][] = [];
    const step =
      <T>(name: string, act: (input: T[]) => DueNotice[]) =>
      async (...input: unknown[]) => {
        if (name === fail) throw new Error("throttled");
        return act(input as T[]);
      };
    notices = {
      ofCallers: step<ActiveCaller[]>("ofCallers", ([page]) =>
        (page ?? []).map(({ key }) => due(key.tenantId, key.callerId)),
      ),
      ofCap: step<string>("ofCap", ([tenantId]) => [due(String(tenantId), "cap")]),
      send: step<DueNotice[]>("send", ([all]) => {
        sent.push((all ?? []).map(({ subject }) => ("caller_id" in subject ? subject.caller_id : subject.kind)));
        return [];
      }),
    };
    return sent;
  }

  test("the meter's notices are sent for each tenant, the cap's first, however its callers are split into pages", async () => {
    const sent = collected();
    pages = [
      [aCaller("t1", "a"), aCaller("t1", "b")],
      [aCaller("t1", "c"), aCaller("t2", "a")],
    ];
    store.capOf.set("t1", { monthly_cap_usd: 10 });
    await meter().run(job);
    expect(sent.toSorted()).toEqual([["a"], ["cap", "a", "b", "c"]]);
  });

  test("the meter sends only a few notices of a tenant in one run", async () => {
    const sent = collected();
    pages = [Array.from({ length: 30 }, (_, index) => aCaller("t1", `c${index}`))];
    await meter().run(job);
    expect(sent.map((all) => all.length)).toEqual([maxNotices]);
  });

  test("the meter sends no notice about a past month", async () => {
    const sent = collected();
    now = at("2026-12-01T00:10:00");
    pages = [[aCaller("t1", "a")]];
    store.capOf.set("t1", { monthly_cap_usd: 10 });
    await meter().run(job);
    expect(sent).toEqual([[]]);
  });

  test.each(["ofCallers", "ofCap", "send"] as const)(
    "the meter's notices stop without other effects if %s fails",
    async (step) => {
      collected(step);
      pages = [[aCaller("t1", "a")]];
      store.put(rowOf("t1", "x"));
      store.capOf.set("t1", { monthly_cap_usd: 10 });
      await meter().run(job);
      expect(store.reportsOf.has("t1 2026-11-21T05")).toBe(true);
      expect(lines.map(({ message }) => message).join()).toMatch(/notices could not be/);
    },
  );
});

describe("what goes wrong for one tenant", () => {
  const both = () => [[aCaller("poisoned", "a"), aCaller("t2", "a")]];

  test("a row that cannot be read delays no other tenant, and makes the job fail at its end", async () => {
    const { key } = aCaller("poisoned", "broken");
    pages = [[aCaller("poisoned", "a"), { key, problem: new Error("broken") }, aCaller("t2", "a")]];
    store.put(rowOf("t2", "x"), rowOf("poisoned", "y"));
    await expect(meter().run(job)).rejects.toThrow(MeteringFailed);
    expect(reclaimed).toEqual(["poisoned a", "t2 a"]);
    expect([...store.reportsOf.keys()]).toEqual(["t2 2026-11-21T05"]);
    expect(progressOf("poisoned")).toBeUndefined();
    expect(lines.map(({ message }) => message)).toContain("a caller's reservations could not be read");
  });

  test("a reclaim that the store throttles delays no other tenant", async () => {
    pages = both();
    reclaim = () => {
      throw new Error("throttled");
    };
    store.put(rowOf("t2", "x"), rowOf("poisoned", "y"));
    await expect(meter().run(job)).rejects.toMatchObject({ failures: 1 });
    expect([...store.reportsOf.keys()]).toEqual(["t2 2026-11-21T05"]);
    reclaim = () => {};
    await meter().run(job);
    expect(store.reportsOf.has("poisoned 2026-11-21T05")).toBe(true);
  });

  test("a repeat of the job does not close hours again that were closed before it failed", async () => {
    pages = [[aCaller("t1", "a")]];
    store.put(rowOf("t1", "x"), rowOf("t1", "y", "2026-11-21T04:40:00"));
    const { effect } = store;
    let hours = 0;
    store.effect = async (name, act) => {
      if (name === "freeze" && ++hours === 2) throw new Error("throttled");
      return effect(name, act);
    };
    await expect(meter().run(job)).rejects.toThrow();
    expect(progressOf("t1")?.next).toBe("2026-11-21T05");
    await meter().run(job);
    expect(hours).toBe(3);
    expect(progressOf("t1")?.next).toBe("2026-11-21T06");
  });
});

describe("a month that is over", () => {
  test("a past month is metered until all of it is closed, and not afterwards", async () => {
    now = at("2026-12-02T00:10:00");
    pages = [[aCaller("t1", "a")]];
    store.put({ ...rowOf("t1", "x"), provisional: true }, rowOf("t1", "last", "2026-11-30T23:59:59"));
    pages = [[aCaller("t1", "a", { tat: at("2026-11-30T23:59:59") * 1000 })]];
    await meter().run(job);
    expect([...store.reportsOf.keys()]).toEqual(["t1 2026-11-21T05", "t1 2026-11-30T23"]);
    expect(store.doneShards).toEqual(new Set(["2026-11 7"]));
    store.calls.length = 0;
    await meter().run(job);
    expect(store.calls).toEqual(["isDone"]);
  });

  test("a past month is not finished while one of its calls is in flight or one of its rows is provisional", async () => {
    now = at("2026-12-01T00:10:00");
    const tat = at("2026-11-30T23:59:59") * 1000;
    pages = [[aCaller("t1", "a", { tat, reservations: [aReservation("2026-11-30T23:59:59")] })]];
    await meter().run(job);
    expect(store.doneShards.size).toBe(0);
    pages = [[aCaller("t1", "a", { tat })]];
    store.put({ ...rowOf("t1", "last", "2026-11-30T23:59:59"), provisional: true });
    await meter().run(job);
    expect(store.doneShards.size).toBe(0);
  });
});

describe("with more tenants", () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;

  /** A job of so many tenants with three callers each; store calls, and the most that it kept. */
  async function measured(tenants: number) {
    store = new MemoryMetering();
    let most = 0;
    async function* generated(): AsyncGenerator<ActiveCaller[]> {
      for (let first = 0; first < tenants; first += 30) {
        const page = Array.from({ length: 30 }, (_, index) => `t${String(first + index).padStart(6, "0")}`);
        yield page.flatMap((tenantId) => ["a", "b", "c"].map((callerId) => aCaller(tenantId, callerId)));
        // What the memory store itself would keep.
        store.progressOf.clear();
        store.calls.length = Math.min(store.calls.length, 0);
        reclaimed.length = 0;
        // A look takes as long as all that lives in this process.
        const isLast = first + 30 >= tenants;
        if (!isLast && (first / 30) % 50 !== 49) continue;
        collect();
        most = Math.max(most, process.memoryUsage().heapUsed);
      }
    }
    let calls = 0;
    store.effect = async (_name, act) => {
      calls += 1;
      return act();
    };
    const walking = meter();
    pages = generated();
    collect();
    const before = process.memoryUsage().heapUsed;
    await walking.run(job);
    return { callsPerCaller: calls / (tenants * 3), kept: most - before };
  }

  test("a job of the meter makes the same number of calls for each caller, and needs no more memory, however many there are", async () => {
    await measured(300);
    const [few, many] = [await measured(300), await measured(6_000)];
    expect(many.callsPerCaller).toBeLessThanOrEqual(few.callsPerCaller);
    expect(many.kept).toBeLessThan(few.kept + 3_000_000);
  });
});
