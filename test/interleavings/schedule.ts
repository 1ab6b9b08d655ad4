// A schedule from its seed: what the calls ask for, how they come, what goes wrong, and the quiet end in which everything must
// come to rest.

import { creditRecord } from "../../adapters/dynamodb/budget/credit.record.ts";
import { ownedTenantsRecord } from "../../adapters/dynamodb/workspace/owned-tenants.record.ts";
import type { Limits, SpendingKey } from "../../domain/budget/spending.ts";
import type { UnsettledUsage } from "../../domain/budget/unsettled.ts";
import { monthOf } from "../../domain/kernel/period.ts";
import { freeCreditTokens } from "../../domain/workspace/tenant.ts";
import { playCall } from "./call-story.ts";
import { Instance } from "./instance.ts";
import { judge, watch } from "./judge.ts";
import { type Mutant, theProduct } from "./product.ts";
import { type Call, costOf, type Faults, noFaults, ownerSub, tenantId, World } from "./world.ts";

const monthsEnd = Date.parse("2026-12-01T00:00:00Z");
const minute = 60_000;
/** Leases, late writes and messages are over after this time. */
const rest = 200_000;
const rests = 4;
/** No outage is longer. */
const mostDeliveries = 20;

/** A quarter of the schedules has one caller who asks for one thing after the other. */
export function isSerial(seed: number): boolean {
  return seed % 4 === 0;
}

/** The callers of every fifth schedule draw on an allowance of their owner. */
export function isLimited(seed: number): boolean {
  return seed % 5 === 3;
}

export class Schedule {
  readonly seed: number;
  readonly world: World;
  readonly #instances: Instance[] = [];
  #restsLeft = rests;
  #made = 0;
  readonly #isOnCredit: boolean;
  /** Many calls of one caller for a budget of about one: they wait for each other. */
  readonly #isCrowd: boolean;
  /** About so many tokens does a call of the schedule ask for. */
  readonly #size: number;

  constructor(seed: number, mutant: Mutant = theProduct) {
    const start = monthsEnd - 10 * 24 * 60 * minute;
    this.seed = seed;
    this.world = new World(seed, { start, isSerial: isSerial(seed), mutant });
    const { world } = this;
    const { random, time } = world;
    // The month changes under three of ten.
    if (random.happens(0.3)) time.now = monthsEnd - random.between(5_000, 100_000);
    this.#isOnCredit = random.happens(0.2);
    this.#isCrowd = !world.isSerial && !this.#isOnCredit && random.happens(0.3);
    this.#size = this.#isOnCredit ? random.integer(500, 6_000) : random.pick([1_000, 20_000, 128_000]);
    this.#setUp();
    watch(world);
    this.#call();
    this.#work();
  }

  get time() {
    return this.world.time;
  }

  /** Called when nothing is left to happen: plays one rest after the other, then judges. */
  goOn(): boolean {
    const { world } = this;
    if (this.#restsLeft > 0) {
      this.#restsLeft--;
      world.faults = noFaults;
      world.outage = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
      world.time.now += rest;
      this.#deliverAll(0);
      world.time.after(minute, () => void this.#meter());
      return true;
    }
    try {
      judge(world);
    } catch (error) {
      // A mutant can leave items that nobody can read.
      world.problem(`cannot be judged: ${error}`);
    }
    return false;
  }

  #setUp(): void {
    const { world } = this;
    const { random, time } = world;
    world.faults = faultsOf(random.integer(0, 3));
    world.callers =
      world.isSerial || this.#isCrowd
        ? ["dev"]
        : Array.from({ length: random.integer(1, 3) }, (_, each) => `dev-${each}`);
    world.places = this.#isCrowd ? 100 : random.pick([0, 1, 4, 100]);
    world.limits = [{ since: 0, limits: this.#limits() }];
    if (random.happens(0.3)) {
      const since = time.now + random.between(0, minute);
      world.limits.push({ since, limits: this.#changed(world.limitsAt(0)) });
    }
    if (random.happens(0.2)) {
      const from = time.now + random.between(0, minute);
      world.outage = [from, from + random.between(1_000, minute)];
    }
    world.beganAt = time.now;
    world.isCalm =
      Object.values(world.faults).every((each) => each === 0) && world.outage[0] === Number.POSITIVE_INFINITY;
    const credit = { granted_tokens: freeCreditTokens, spent: 0, committed: 0 };
    if (this.#isOnCredit) world.table.put({ ...creditRecord.key({ tenant_id: tenantId }), ...credit });
    if (isLimited(this.seed) && !this.#isOnCredit) {
      world.trialCap = Math.ceil(costOf(this.#size, this.#size) * random.between(1, 8));
      world.table.put({
        ...ownedTenantsRecord.key({ owner_sub: ownerSub }),
        [`t#${tenantId}`]: "2026-11-01",
        owned: 1,
      });
    }
  }

  #limits(): Limits {
    const { random } = this.world;
    const typical = costOf(this.#size, this.#size);
    const isTight = random.happens(0.2);
    // On free credit the budget is rarely what limits.
    const most = this.#isOnCredit ? 100 : this.#isCrowd ? 3 : 12;
    return {
      cap: random.happens(0.05) ? undefined : Math.ceil(typical * random.between(0.3, most)),
      enforcement: random.happens(0.05) ? "spent" : "reserved",
      maxInFlight: this.#isCrowd ? 64 : random.pick([2, 8, 64]),
      rate: isTight
        ? { burst: random.integer(1, 5), perMinute: random.pick([30, 600]) }
        : { burst: 1_000, perMinute: 100_000 },
    };
  }

  #changed(limits: Limits): Limits {
    const { random } = this.world;
    const cap = limits.cap && Math.max(1, Math.floor(limits.cap * random.between(0.3, 1.6)));
    return { ...limits, cap, maxInFlight: random.pick([limits.maxInFlight, 3, 20]) };
  }

  #call(): void {
    const { world } = this;
    const { random, time } = world;
    const count = random.integer(2, this.#isCrowd ? 24 : 18);
    if (world.isSerial) {
      void this.#oneByOne(count);
      return;
    }
    const burst = random.happens(0.6) ? random.between(10, 2_000) : random.between(5_000, 120_000);
    for (let each = 0; each < count; each++) {
      time.after(random.between(0, burst), () => this.#begin(this.#newCall()));
    }
  }

  /** A serial client: its next call comes when the last answer has ended, though that may not be settled yet. */
  async #oneByOne(count: number): Promise<void> {
    const { random, time } = this.world;
    const pause = (milliseconds: number) => new Promise<void>((resolve) => time.after(milliseconds, resolve));
    for (let each = 0; each < count; each++) {
      const call = this.#newCall();
      this.#begin(call);
      const isUnderWay = () => call.end === undefined && !call.died && !call.froze;
      for (let waits = 0; isUnderWay() && waits < 3_000; waits++) await pause(100);
      await pause(random.happens(0.5) ? 1 : random.between(10, 30_000));
    }
  }

  #newCall(): Call {
    const { random, callers, calls, time } = this.world;
    const inputBound = random.integer(1, this.#size);
    const maxTokens = random.integer(1, this.#size * 2);
    const reachesItsBounds = random.happens(0.3);
    const call: Call = {
      requestId: `q${this.#made++}`,
      callerId: random.pick(callers),
      onCredit: this.#isOnCredit,
      ...{ inputBound, maxTokens },
      thinkingTokens: random.happens(0.1) ? Math.floor(maxTokens / 2) : 0,
      inputTokens: reachesItsBounds ? inputBound : random.integer(1, inputBound),
      // Short answers leave money for waiting calls.
      outputTokens: reachesItsBounds ? maxTokens : random.integer(0, this.#isCrowd ? maxTokens >> 4 : maxTokens),
      staleness: random.happens(0.5) ? 0 : random.between(0, minute),
      beganAt: time.now,
    };
    calls.set(call.requestId, call);
    return call;
  }

  #begin(call: Call): void {
    call.beganAt = this.time.now;
    void playCall(this.world, this.#instance(), call);
  }

  /** An instance that is free, or a new one. */
  #instance(): Instance {
    const free = this.#instances.filter((each) => each.isFree);
    if (free.length > 0 && this.world.random.happens(0.8)) return this.world.random.pick(free);
    const started = new Instance(this.world);
    this.#instances.push(started);
    return started;
  }

  /** Plays the meter and the queue beside the calls. */
  #work(): void {
    const { random, time } = this.world;
    for (let at = minute; at < 15 * minute; at += random.between(minute, 5 * minute)) {
      time.after(at, () => void this.#meter());
    }
    for (let at = 0; at < 15 * minute; at += 20_000) time.after(at, () => this.#deliverAll(rest));
  }

  async #meter(): Promise<void> {
    const instance = new Instance(this.world);
    for (const key of this.#keys()) {
      try {
        const { spending, credit } = await instance.spending.read(key, { onCredit: this.#isOnCredit });
        await instance.reclaim.spending(key, spending);
        if (credit) await instance.reclaim.credit(key, credit);
      } catch (error) {
        this.#expectOutage("the meter", error);
      }
    }
  }

  #keys(): SpendingKey[] {
    const months = [monthOf(monthsEnd - 1), monthOf(monthsEnd)];
    return this.world.callers.flatMap((callerId) => months.map((month) => ({ tenantId, callerId, month })));
  }

  /** Some messages come twice. */
  #deliverAll(within: number): void {
    const { queue, time, random } = this.world;
    for (const message of queue.splice(0)) {
      const at = random.between(0, within);
      time.after(at, () => void this.#deliver(message));
      if (!random.happens(0.2)) continue;
      // The second delivery comes at the same time as the first, or at any other.
      const again = random.happens(0.5) ? at + random.between(0, 100) : random.between(0, within);
      time.after(again, () => void this.#deliver(message));
    }
  }

  /** Settles a message as handlers/settle does. A message that fails, or whose function dies, comes back. */
  async #deliver(message: UnsettledUsage, times = 1): Promise<void> {
    const { time, random } = this.world;
    if (times > mostDeliveries) {
      this.world.problem("a message is never settled");
      return;
    }
    const { key, reservation, answerLost, givenUp, outcome } = message;
    let isDone = false;
    time.after(random.between(30_000, rest), () => {
      if (!isDone) void this.#deliver(message, times + 1);
    });
    const { settlements } = new Instance(this.world);
    const settled = { key, reservation, isOld: true, answerLost };
    try {
      if (givenUp) await settlements.giveUp(key, reservation);
      else if (outcome) await settlements.settle(settled, outcome);
      else await settlements.release(settled);
      isDone = true;
    } catch (error) {
      this.#expectOutage("the queue", error);
    }
  }

  #expectOutage(who: string, error: unknown): void {
    const { code, stack } = error as { code?: string; stack?: string };
    if (code !== "store_unavailable") this.world.problem(`${who} threw ${stack}`);
  }
}

/** 0: calm; 1: answers get lost; 2: functions die and freeze; 3: all of it. */
function faultsOf(mode: number): Faults {
  const [isDeadly, isLossy] = [mode >= 2, mode % 2 === 1];
  return {
    dies: isDeadly ? 0.006 : 0,
    freezes: isDeadly ? 0.006 : 0,
    lost: isLossy ? 0.06 : 0,
    unanswered: isLossy ? 0.08 : 0,
    late: isLossy ? 0.04 : 0,
  };
}
