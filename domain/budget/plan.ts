// The plan of a call in a state of its caller's spending: the call reserves what it asks for or less, overdraws, waits, or is
// refused. It is decided by the guards (guard.ts) that the write is sent with. docs/decisions/0015 has the proof of these rules, and the numbers.
import type { TokenBounds } from "../catalog/token-usage.ts";
import type { NanoUsd } from "../kernel/money.ts";
import type { Refusal } from "../kernel/refusal.ts";
import { allHold, failing, type Guard, holds } from "./guard.ts";
import {
  creditSpent,
  overBudget,
  reservedByOthers,
  TooLittleCredit,
  tooManyInFlight,
  windowSpent,
} from "./limit-refusal.ts";
import { leaseMs, type Reservation } from "./reservation.ts";
import type { Credit, Limits, Spending, SpendingState } from "./spending.ts";

/** The amounts that a call asks its budget for. */
export type AdmissionRequest = {
  requestId: string;
  /** When the call came, in milliseconds since the epoch, if that is not now: it may wait from then on. */
  arrivedAt?: number | undefined;
  profile: string;
  region: string;
  maxTokens: number;
  /** The call's `thinking.budget_tokens`, which `max_tokens` must exceed; 0 for none. */
  thinkingTokens: number;
  /** Upper bounds of the call's tokens with this `max_tokens`. */
  boundsAt: (maxTokens: number) => TokenBounds;
  /** The most that the call can cost with this `max_tokens`, in nano-USD. */
  costAt: (maxTokens: number) => number;
  /** The tokens of the prompt, if the model host has counted them. The bounds come from that then, and not from the prompt's bytes. */
  countedInput?: number | undefined;
  /** The cost of the prompt as it is estimated, which is billed if nobody hears the call's end. */
  known?: NanoUsd | undefined;
};

/** A plan of a call that fits. `maxTokens` is the caller's own `max_tokens`, or less. */
export type Fitting = { kind: "reserve" | "overdraw"; maxTokens: number };

export type Plan =
  | Fitting
  /** `wait`: others have reserved the rest of the budget. `busy`: as many calls are in flight as may be. */
  | { kind: "wait" | "busy" | "refuse"; refusal: Refusal; isLasting?: true };

/** A call that does not fit gets the first of these that fits as its `max_tokens`, or the floor. */
const steps = [64_000, 32_000, 16_384];
/** No call is lowered below this `max_tokens`: few answers are longer in practice. */
const floorTokens = 8_192;
/** The output tokens that an answer needs beside its thinking. */
const answerTokens = 4_096;
/** A call leaves room for as many others as are in flight, up to this number. */
const maxHeadroom = 8;
/** An answer is likely no longer than this. */
const likelyTokens = 4_096;
/** The shortest answer that a call on free credit is lowered to: a credit is small. */
const creditFloorTokens = 1_024;

/**
 * @param options.resetsAt when the budget starts anew, in milliseconds, for the refusal's text
 * @param options.holdsTicket whether the call itself is counted in flight already
 */
export function planOf(
  { spending, credit }: SpendingState,
  limits: Limits,
  request: AdmissionRequest,
  { resetsAt, holdsTicket = false }: { resetsAt: number; holdsTicket?: boolean },
): Plan {
  if (isOverBudget(spending, limits)) return { kind: "refuse", refusal: overBudget(resetsAt) };
  const most = credit ? onCredit(credit, request) : request.maxTokens;
  if (typeof most !== "number") return most;
  const others = spending.inflight - (holdsTicket ? 1 : 0);
  const full = fullWindow(spending, limits);
  const plan = full ?? withinBudget(spending, limits, { request, most, others });
  // Step 11 asks the budget, and step 12 the number in flight: a call over its budget is refused for that.
  if ("maxTokens" in plan && !holds(hasPlace(limits), { ...spending, inflight: others })) {
    return { kind: "busy", refusal: tooManyInFlight(limits) };
  }
  return plan;
}

/** Decides about a call that costs nothing: a spent budget or a used-up credit refuses it all the same. */
export function planOfFreeCall({ spending, credit }: SpendingState, limits: Limits, resetsAt: number): Plan {
  if (isOverBudget(spending, limits)) return { kind: "refuse", refusal: overBudget(resetsAt) };
  if (credit && isCreditSpent(credit)) return { kind: "refuse", refusal: creditSpent(credit), isLasting: true };
  return { kind: "reserve", maxTokens: 0 };
}

/**
 * The reservation that a call makes by its plan; without a plan the ticket of a call that waits.
 * @param options.now milliseconds
 */
export function plannedReservation(
  { requestId, profile, region, boundsAt, costAt, maxTokens, known }: AdmissionRequest,
  plan: Fitting | undefined,
  {
    now,
    version,
    admittedAt,
    onCredit,
    onPlatform,
    windows = [],
  }: Pick<Reservation, "version" | "admittedAt" | "onCredit" | "onPlatform"> &
    Pick<Limits, "windows"> & { now: number },
): Reservation {
  // A reservation of 0 is a ticket, which only waits for its turn.
  const amount = plan ? Math.max(1, costAt(plan.maxTokens)) : 0;
  const likely = () => (known ?? costAt(0)) + costAt(Math.min(plan?.maxTokens ?? 0, likelyTokens)) - costAt(0);
  return {
    requestId,
    amount,
    version,
    leaseEndsAt: now + leaseMs,
    overdraft: plan?.kind === "overdraw",
    admittedAt,
    profile,
    region,
    bounds: boundsAt(plan?.maxTokens ?? maxTokens),
    ...(known !== undefined && { known }),
    ...(plan &&
      windows.length > 0 && {
        held: Object.fromEntries(windows.map(({ name }) => [name, Math.min(amount, likely())])),
      }),
    onCredit,
    ...(onPlatform && { onPlatform }),
  };
}

/** The most that may be in flight is not reached yet. */
export const hasPlace = ({ maxInFlight }: Pick<Limits, "maxInFlight">): Guard => ({
  rule: "inflight",
  figure: "inflight",
  is: "<",
  bound: maxInFlight,
});

const isUnspent = (cap: number): Guard => ({ rule: "unspent", figure: "spent", is: "<", bound: cap });
const hasRoom = (most: number, amount: number): Guard => ({
  rule: "room",
  figure: "committed",
  is: "<=",
  bound: most - amount,
});

/** The guards of the budget for a call that reserves this amount, or overdraws. A call with an amount of 0 waits, or costs nothing. */
export function budgetGuards(
  { cap, enforcement }: Pick<Limits, "cap" | "enforcement">,
  { amount, overdraft }: Pick<Reservation, "amount"> & Partial<Pick<Reservation, "overdraft">>,
): Guard[] {
  if (cap === undefined) return [];
  if (enforcement === "spent" || amount === 0) return [isUnspent(cap)];
  if (!overdraft) return [isUnspent(cap), hasRoom(cap, amount)];
  return [
    isUnspent(cap),
    { rule: "overdraft", label: "overdraft", is: "none" },
    { rule: "uncommitted", figure: "committed", is: "<", bound: cap },
  ];
}

/** The guards under which an overdraft becomes a reservation within the budget. */
export function moveInGuards({ cap }: Pick<Limits, "cap">, { requestId, amount }: Reservation): Guard[] {
  const isOwn: Guard = { rule: "overdraft", label: "overdraft", is: "same", as: requestId };
  return cap === undefined ? [isOwn] : [isOwn, hasRoom(cap, amount)];
}

/** The guards of the free credit for a reservation of so many tokens. The grant is the one that the writer read. */
export function creditGuards(granted: number, tokens: number): Guard[] {
  return [isUnspent(granted), hasRoom(mostCommitted(granted), tokens)];
}

/** The guards of the windows for a call that costs money. */
export function windowGuards({ windows = [] }: Pick<Limits, "windows">): Guard[] {
  return windows.map(({ name, cap }) => ({ rule: `window_${name}`, window: name, is: "<", bound: cap }));
}

function isOverBudget(spending: Spending, { cap }: Limits): boolean {
  return cap !== undefined && !holds(isUnspent(cap), spending);
}

export function isCreditSpent(credit: Credit): boolean {
  return !holds(isUnspent(credit.granted), credit);
}

/** The most tokens that may be committed: one more grant than there is may be reserved, so that nobody takes more than twice the credit. */
export function mostCommitted(granted: number): number {
  return 2 * granted;
}

/** Why a window takes no call: its costs fill it, or what calls in flight hold of it. */
function fullWindow(spending: Spending, { windows = [] }: Limits): Plan | undefined {
  const full = windows.find((window) => failing(windowGuards({ windows: [window] }), spending));
  if (!full) return undefined;
  const open = spending.reservations.reduce((sum, { held }) => sum + (held?.[full.name] ?? 0), 0);
  const isSpent = (spending.windows?.[full.name] ?? 0) - open >= full.cap;
  return isSpent
    ? { kind: "refuse", refusal: windowSpent(full) }
    : { kind: "wait", refusal: reservedByOthers(full.title) };
}

function withinBudget(
  spending: Spending,
  limits: Limits,
  { request, most, others }: { request: AdmissionRequest; most: number; others: number },
): Plan {
  const { spent, committed } = spending;
  const headroom = Math.min(maxHeadroom, 1 + others);
  const prompt = request.costAt(0);
  const answer = (maxTokens: number) => request.costAt(maxTokens) - prompt;
  const may = (amount: number, overdraft: boolean) =>
    allHold(budgetGuards(limits, { amount: Math.max(1, amount), overdraft }), spending);
  const fits = (maxTokens: number, times: number) => may(prompt + answer(maxTokens) * times, false);
  if (fits(most, headroom)) return { kind: "reserve", maxTokens: most };

  const mayOverdraw = may(1, true);
  // A caller's only call is never shortened.
  if (mayOverdraw && committed === spent) return { kind: "overdraw", maxTokens: most };
  const floor = Math.min(most, floorOf(request));
  // A step above `most` costs no less than that, which does not fit.
  const lower = steps.filter((step) => step > floor);
  const fitting = lower.find((step) => fits(step, headroom)) ?? (fits(floor, 1) ? floor : undefined);
  if (fitting !== undefined) return { kind: "reserve", maxTokens: fitting };
  if (!mayOverdraw) return { kind: "wait", refusal: reservedByOthers("this month's budget") };
  const room = (limits.cap ?? 0) - committed;
  const overdrawn = [most, ...lower].find((step) => answer(step) * headroom <= room) ?? floor;
  return { kind: "overdraw", maxTokens: overdrawn };
}

/** The lowest `max_tokens` to which a call is lowered while others may give back what they have reserved. */
export function floorOf({ thinkingTokens }: AdmissionRequest): number {
  return thinkingTokens > 0 ? thinkingTokens + answerTokens : floorTokens;
}

/** Returns the highest `max_tokens` that the free credit pays for, or why it pays for none. */
function onCredit(credit: Credit, request: AdmissionRequest): number | Plan {
  if (isCreditSpent(credit)) return { kind: "refuse", refusal: creditSpent(credit), isLasting: true };
  const { granted, spent, committed } = credit;
  const { input, output } = request.boundsAt(0);
  const most = Math.min(request.maxTokens, mostCommitted(granted) - committed - input - output);
  const least = request.thinkingTokens + creditFloorTokens;
  if (most >= Math.min(request.maxTokens, least)) return most;
  const shortest = output + Math.min(request.maxTokens, least);
  const isHeldByOthers = input + shortest <= mostCommitted(granted) - spent;
  if (isHeldByOthers) return { kind: "wait", refusal: reservedByOthers("the free credit") };
  return { kind: "refuse", refusal: new TooLittleCredit(credit, { input, shortest, counted: request.countedInput }) };
}
