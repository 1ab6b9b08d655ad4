// What all functions of a schedule share: the table, the faults of the way to it, the limits as they change, and what the calls
// really cost.
import type { Limits } from "../../domain/budget/spending.ts";
import type { UnsettledUsage } from "../../domain/budget/unsettled.ts";
import { MemoryTable } from "../support/memory-dynamodb/memory-table.ts";
import type { Mutant } from "./product.ts";
import { Random } from "./random.ts";
import { VirtualTime } from "./virtual-time.ts";

/** Probabilities: for each event of a function, and for each call to the store. */
export type Faults = {
  dies: number;
  freezes: number;
  /** The request never arrives. */
  lost: number;
  /** The request takes effect, and its answer never comes. */
  unanswered: number;
  /** The request takes effect long after the caller was told that it had not. */
  late: number;
};

export const noFaults: Faults = { dies: 0, freezes: 0, lost: 0, unanswered: 0, late: 0 };

export const tableName = "main";

/** A call, as it was asked for and as it really went. */
export type Call = {
  requestId: string;
  callerId: string;
  onCredit: boolean;
  maxTokens: number;
  thinkingTokens: number;
  /** The bound of its input, and what it really is. */
  inputBound: number;
  inputTokens: number;
  /** The number of tokens that the model writes if it may. */
  outputTokens: number;
  /** The limits that the call starts with are this old, in milliseconds. */
  staleness: number;
  beganAt: number;
  month?: string;
  /** The model host's bill; undefined before the host is called. */
  truth?: { cost: number; tokens: number };
  end?: "settled" | "refused" | "unanswered" | "passed";
  refusedWith?: string;
  endedAt?: number;
  /** The call's real cost is in the ledger, or in the queue. */
  isBooked?: boolean;
  /** The call's function died, or stood still for a while. */
  died?: boolean;
  froze?: boolean;
};

export type LimitsSince = { since: number; limits: Limits };

export class World {
  readonly random: Random;
  readonly time: VirtualTime;
  readonly table = new MemoryTable();
  readonly calls = new Map<string, Call>();
  /** The number of calls that were counted in the rate limit, by item; and the time of the last one. */
  readonly rises = new Map<string, number>();
  lastTurn = 0;
  beganAt = 0;
  /** Corrections that lowered what was spent, with the sum before. */
  readonly lowered: { at: number; from: number }[] = [];
  /** Nothing goes wrong in all of the schedule. */
  isCalm = false;
  /** When each call's reservation went away. */
  readonly stoodUntil = new Map<string, number>();
  readonly problems = new Set<string>();
  readonly counts: Record<string, number> = {};
  readonly mutant: Mutant;
  readonly isSerial: boolean;
  faults: Faults = noFaults;
  /** The outage's beginning and end. */
  outage: [number, number] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  /** The limits of all callers, by the time since which they hold; the first hold from the beginning. */
  limits: LimitsSince[] = [];
  /** Unsettled usage on its way. */
  queue: UnsettledUsage[] = [];
  callers: string[] = [];
  /** The owner's allowance, on which all callers draw; undefined where none limits them. */
  trialCap: number | undefined;
  places = 0;

  constructor(seed: number, { start, isSerial, mutant }: { start: number; isSerial: boolean; mutant: Mutant }) {
    this.random = new Random(seed);
    this.time = new VirtualTime(start);
    this.isSerial = isSerial;
    this.mutant = mutant;
  }

  get isDown(): boolean {
    return this.time.now >= this.outage[0] && this.time.now < this.outage[1];
  }

  limitsAt(time: number): Limits {
    return (this.limits.findLast(({ since }) => since <= time) ?? this.limits[0])?.limits as Limits;
  }

  /** The highest value among all limits of the schedule. */
  highest(of: (limits: Limits) => number): number {
    return Math.max(...this.limits.map(({ limits }) => of(limits)));
  }

  /** Whether a reservation of another call has gone away since. */
  otherWentSince(time: number, { requestId }: Call): boolean {
    return [...this.stoodUntil].some(([other, until]) => other !== requestId && until >= time);
  }

  count(what: string): void {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
  }

  problem(what: string): void {
    this.problems.add(what);
  }
}

export const tenantId = "acme";
export const ownerSub = "owner";
/** Nano-USD a token. */
export const inputPrice = 3;
export const outputPrice = 15;

export function costOf(input: number, output: number): number {
  return input * inputPrice + output * outputPrice;
}
