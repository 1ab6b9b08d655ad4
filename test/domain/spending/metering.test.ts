import { beforeEach, describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { hourOf } from "../../../domain/period.ts";
import { Meter, type MeteringDependencies } from "../../../domain/spending/metering.ts";
import { type Rollup, rollupsOf } from "../../../domain/spending/rollup.ts";
import { Settlements } from "../../../domain/spending/settlement.ts";
import type { SpendingKey } from "../../../domain/spending/spending.ts";
import type { UnsettledUsage } from "../../../domain/spending/unsettled.ts";
import { aCaller, admissionOver, aGrant, asking, aTenant, costing } from "../../support/admissions.ts";
import { FakeTime } from "../../support/fake-time.ts";
import { MemoryAccounting, sound, soundness } from "../../support/memory-accounting.ts";

const minute = 60_000;

/** A meter over accounting, log and rollups in memory; `steps` lets it die before the nth thing that it does. */
class Platform {
  readonly time: FakeTime;
  readonly accounting = new MemoryAccounting();
  readonly rollups = new Map<string, Rollup>();
  readonly log: { at: number; line: UnsettledUsage }[] = [];
  readonly rolledUp: string[] = [];
  progress: string | undefined;
  stepsToLive = Number.POSITIVE_INFINITY;
  /** The store does not answer for this tenant. */
  down: string | undefined;
  readonly meter: Meter;
  readonly #proxy: ReturnType<typeof admissionOver>;
  #requests = 0;

  constructor(start?: string) {
    this.time = new FakeTime(start);
    this.#proxy = admissionOver(this.accounting, this.time);
    this.meter = new Meter(this.#dependencies());
  }

  #dependencies(): MeteringDependencies {
    const platform = this;
    const step = <T>(act: () => T): T => {
      if (this.stepsToLive-- <= 0) throw new Error("killed");
      return act();
    };
    const answering = (tenantId: string) => {
      if (tenantId === this.down) throw new Error("down");
    };
    const spending = {
      ...this.accounting,
      settle: async (settlement: Parameters<MemoryAccounting["settle"]>[0]) =>
        step(() => {
          answering(settlement.key.tenantId);
          return this.accounting.settle(settlement);
        }),
    };
    const ledger = {
      putIfAbsent: async (row: Parameters<MemoryAccounting["putIfAbsent"]>[0]) =>
        step(() => this.accounting.putIfAbsent(row)),
    };
    return {
      unsettled: async function* (since) {
        for (const { at, line } of platform.log) if (at >= since) yield line;
      },
      activeCallers: async function* (month) {
        for (const key of platform.accounting.activeCallers.values()) if (key.month === month) yield key;
      },
      spendingOf: async (key) => step(() => this.accounting.of(key)),
      settlements: new Settlements({ ledger, spending, clock: this.time.clock }),
      ledgerHour: async (tenantId, hour) => step(() => this.accounting.hour(tenantId, hour)),
      rollups: {
        put: async (rollups) => {
          for (const each of rollups) {
            step(() => this.rollups.set([each.tenant_id, each.hour, each.caller_id, each.model].join(" "), each));
            this.rolledUp.push(each.hour);
          }
        },
      },
      progress: {
        get: async () => step(() => this.progress),
        advance: async (from, to) =>
          step(() => {
            if (this.progress === from) this.progress = to;
          }),
      },
      log: { info: () => {}, problem: () => {} },
      clock: this.time.clock,
    };
  }

  /** A request, and what becomes of it. */
  async request(
    fate: "settled" | "died" | "logged" | "logged free" | "half settled",
    tenant = "t1",
  ): Promise<SpendingKey> {
    const id = `r${++this.#requests}`;
    const caller = aCaller({ tenant: aTenant({ tenant_id: tenant }), grant: aGrant() });
    const admitted = await this.#proxy.admission.admit(caller, asking(id, this.time));
    const { key, reservation } = admitted;
    if (!reservation) throw new Error("no reservation");
    if (fate === "settled") await this.#proxy.settlements.settle(admitted, costing(7, 2));
    if (fate === "logged") this.log.push({ at: this.time.clock(), line: { key, reservation, outcome: costing(7, 2) } });
    if (fate === "logged free") this.log.push({ at: this.time.clock(), line: { key, reservation } });
    if (fate === "half settled")
      await this.accounting.putIfAbsent(this.#proxy.settlements.rowOf(key, reservation, costing(7, 2)));
    return key;
  }

  /** As its schedule does: what fails is done by the next run. */
  async run(): Promise<void> {
    await this.meter.run().catch((error) => {
      if (error.message !== "killed") throw error;
    });
    this.stepsToLive = Number.POSITIVE_INFINITY;
  }

  expectRollupsToBeTheLedger(): void {
    const rows = [...this.accounting.rows.values()];
    const hours = new Set(rows.map(({ admitted_at }) => hourOf(Date.parse(admitted_at))));
    for (const hour of hours) {
      if (this.progress === undefined || hour > this.progress) continue;
      for (const tenant of new Set(rows.map(({ tenant_id }) => tenant_id))) {
        const its = rows.filter((row) => row.tenant_id === tenant && hourOf(Date.parse(row.admitted_at)) === hour);
        const found = [...this.rollups.values()].filter((each) => each.tenant_id === tenant && each.hour === hour);
        expect(found).toEqual(rollupsOf(tenant, hour, its));
      }
    }
  }

  expectNothingReserved(): void {
    for (const state of this.accounting.spending.values()) {
      expect(state).toMatchObject({ inflight: 0, reservations: [], committed: state.spent });
    }
  }
}

let platform: Platform;
beforeEach(() => {
  platform = new Platform();
});

describe("a run", () => {
  test("settles what the proxy could only log, at its true cost and not at its bounds", async () => {
    const key = await platform.request("logged");
    await platform.time.advance(20 * minute);
    await platform.run();
    expect(platform.accounting.rows.get("r1")).toMatchObject({ cost: 7, source: "final" });
    expect(platform.accounting.of(key)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
  });

  test("releases what was logged without a cost, and leaves no row", async () => {
    const key = await platform.request("logged free");
    await platform.run();
    expect(platform.accounting.of(key)).toMatchObject({ spent: 0, committed: 0, inflight: 0 });
    expect(platform.accounting.rows.size).toBe(0);
  });

  test("settles the reservation of a caller who stays away, once it has expired", async () => {
    const key = await platform.request("died");
    await platform.time.advance(15 * minute);
    await platform.run();
    expect(platform.accounting.of(key).inflight).toBe(1);
    await platform.time.advance(minute);
    await platform.run();
    expect(platform.accounting.rows.get("r1")).toMatchObject({ cost: 10, source: "estimated" });
    expect(platform.accounting.of(key)).toMatchObject({ spent: 10, committed: 10, inflight: 0 });
  });

  test("completes a settlement that died after its row, at the row's cost", async () => {
    const key = await platform.request("half settled");
    await platform.time.advance(16 * minute);
    await platform.run();
    expect(platform.accounting.of(key)).toMatchObject({ spent: 7, inflight: 0 });
    expect(platform.accounting.rows.get("r1")?.source).toBe("final");
  });

  test("rolls an hour up only when it is over and everything in it is settled", async () => {
    await platform.request("settled");
    await platform.time.advance(104 * minute);
    await platform.run();
    expect(platform.progress).toBe("2026-11-21T04");
    await platform.time.advance(minute);
    await platform.run();
    expect(platform.progress).toBe("2026-11-21T05");
    expect(platform.rolledUp).toEqual(["2026-11-21T05"]);
    platform.expectRollupsToBeTheLedger();
  });

  test("rolls up again an hour that gets a row after it was over", async () => {
    await platform.request("settled");
    await platform.request("logged");
    const [late] = platform.log.splice(0);
    await platform.time.advance(105 * minute);
    await platform.run();
    // The log's delivery was an hour late.
    platform.log.push(late as (typeof platform.log)[number]);
    platform.accounting.spending.clear();
    await platform.run();
    expect([...platform.rollups.values()]).toMatchObject([{ hour: "2026-11-21T05", requests: 2 }]);
  });

  test("does nothing twice when nothing is new", async () => {
    await platform.request("settled");
    await platform.time.advance(105 * minute);
    await platform.run();
    const before = structuredClone([platform.accounting.rows, platform.rollups, platform.progress]);
    platform.rolledUp.length = 0;
    await platform.run();
    expect([platform.accounting.rows, platform.rollups, platform.progress]).toEqual(before);
    expect(platform.rolledUp).toEqual([]);
  });
});

describe("what goes wrong for one tenant", () => {
  beforeEach(async () => {
    await platform.run();
    platform.down = "t1";
  });

  test("keeps nobody else's reservations, and no rollups; its own are reclaimed once it can be", async () => {
    const down = await platform.request("died", "t1");
    const up = await platform.request("died", "t2");
    await platform.time.advance(105 * minute);
    await expect(platform.meter.run()).rejects.toThrow("down");
    expect(platform.accounting.of(up).inflight).toBe(0);
    expect(platform.accounting.of(down).inflight).toBe(1);
    expect(platform.progress).toBe("2026-11-21T05");
    platform.down = undefined;
    await platform.run();
    platform.expectNothingReserved();
    platform.expectRollupsToBeTheLedger();
  });

  test("keeps its logged usage for the next run, and settles no bound in its place", async () => {
    const down = await platform.request("logged", "t1");
    const up = await platform.request("logged", "t2");
    await platform.time.advance(105 * minute);
    const { progress } = platform;
    await expect(platform.meter.run()).rejects.toThrow("down");
    expect(platform.accounting.of(up)).toMatchObject({ spent: 7, inflight: 0 });
    expect(platform.progress).toBe(progress);
    platform.down = undefined;
    await platform.run();
    expect(platform.accounting.of(down)).toMatchObject({ spent: 7, committed: 7, inflight: 0 });
    expect(platform.accounting.rows.get("r1")?.source).toBe("final");
    platform.expectRollupsToBeTheLedger();
  });
});

describe("after the meter was away for days", () => {
  test("everything is caught up: the log, reservations of the month before, and each hour", async () => {
    platform = new Platform("2026-11-28T05:00:00.000Z");
    await platform.request("settled");
    await platform.time.advance(105 * minute);
    await platform.run();
    const logged = await platform.request("logged");
    await platform.request("died", "t2");
    await platform.time.advance(5 * 24 * 60 * minute);
    await platform.run();
    expect(platform.accounting.of(logged).spent).toBe(14);
    platform.expectNothingReserved();
    platform.expectRollupsToBeTheLedger();
    expect(platform.progress).toBe("2026-12-03T05");
  });

  test("an absence longer than a run can catch up is caught up in several", async () => {
    await platform.run();
    await platform.time.advance(300 * 60 * minute);
    await platform.run();
    const first = platform.progress ?? "";
    await platform.run();
    expect(Date.parse(`${platform.progress}:00:00Z`)).toBeGreaterThan(Date.parse(`${first}:00:00Z`));
    await platform.run();
    expect(platform.progress).toBe("2026-12-03T15");
  });
});

test("a call of the old month's last second is rolled up in the old month", async () => {
  platform = new Platform("2026-11-30T23:59:59.999Z");
  await platform.request("died");
  await platform.time.advance(120 * minute);
  await platform.run();
  expect([...platform.rollups.values()]).toMatchObject([{ hour: "2026-11-30T23", requests: 1, estimated_requests: 1 }]);
  platform.expectNothingReserved();
});

test("whatever happens, and wherever the meter dies, accounting and rollups are right in the end", async () => {
  const fate = fc.constantFrom("settled", "died", "logged", "logged free", "half settled");
  const step = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({ kind: fc.constant("request" as const), fate, tenant: fc.constantFrom("t1", "t2") }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("run" as const), steps: fc.integer({ min: 0, max: 60 }) }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("wait" as const), minutes: fc.integer({ min: 1, max: 200 }) }),
    },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
      // Near enough to a month's end that many runs cross it.
      const platform = new Platform("2026-11-30T20:00:00.000Z");
      for (const each of steps) {
        if (each.kind === "request") await platform.request(each.fate as "settled", each.tenant);
        if (each.kind === "wait") await platform.time.advance(each.minutes * minute);
        if (each.kind === "run") {
          platform.stepsToLive = each.steps;
          await platform.run();
        }
        for (const state of platform.accounting.spending.values()) expect(soundness(state)).toEqual(sound);
      }
      await platform.time.advance(180 * minute);
      await platform.run();
      platform.expectNothingReserved();
      platform.expectRollupsToBeTheLedger();
      const spent = [...platform.accounting.spending.values()].reduce((sum, each) => sum + each.spent, 0);
      const ledger = [...platform.accounting.rows.values()].reduce((sum, { cost }) => sum + cost, 0);
      expect(spent).toBe(ledger);
    }),
    { numRuns: 150 },
  );
});
