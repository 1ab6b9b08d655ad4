// The plan of a call in a state of its caller's spending: the call reserves what it asks for or less, overdraws, waits, or is
// refused. docs/decisions/0015 has the proof of these rules, and the numbers.
import type { TokenBounds } from "../catalog/token-usage.ts";
import type { NanoUsd } from "../kernel/money.ts";
import { Refusal } from "../kernel/refusal.ts";
import { busyRetrySeconds } from "./limit-refusal.ts";
import { leaseMs, type Reservation } from "./reservation.ts";
import type { Credit, Limits, Spending, SpendingState } from "./spending.ts";

/** The amounts that a call asks its budget for. */
export type AdmissionRequest = {
  requestId: string;
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
  const plan = withinBudget(spending, limits, { request, most, others });
  // Step 11 asks the budget, and step 12 the number in flight: a call over its budget is refused for that.
  if ("maxTokens" in plan && isFull(spending, limits, holdsTicket)) {
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
export function reservationOf(
  { requestId, profile, region, boundsAt, costAt, maxTokens, known }: AdmissionRequest,
  plan: Fitting | undefined,
  {
    now,
    version,
    admittedAt,
    onCredit,
    onPlatform,
  }: Pick<Reservation, "version" | "admittedAt" | "onCredit" | "onPlatform"> & { now: number },
): Reservation {
  return {
    requestId,
    // A reservation of 0 is a ticket, which only waits for its turn.
    amount: plan ? Math.max(1, costAt(plan.maxTokens)) : 0,
    version,
    leaseEndsAt: now + leaseMs,
    overdraft: plan?.kind === "overdraw",
    admittedAt,
    profile,
    region,
    bounds: boundsAt(plan?.maxTokens ?? maxTokens),
    ...(known !== undefined && { known }),
    onCredit,
    ...(onPlatform && { onPlatform }),
  };
}

/** Whether the limit of calls in flight is reached without this call. */
export function isFull({ inflight }: Spending, { maxInFlight }: Limits, holdsTicket = false): boolean {
  return inflight - (holdsTicket ? 1 : 0) >= maxInFlight;
}

function isOverBudget({ spent }: Spending, { cap }: Limits): boolean {
  return cap !== undefined && spent >= cap;
}

export function isCreditSpent({ spent, granted }: Credit): boolean {
  return spent >= granted;
}

/** The most tokens that may be committed: one more grant than there is may be reserved, so that nobody takes more than twice the credit. */
export function mostCommitted(granted: number): number {
  return 2 * granted;
}

function withinBudget(
  { spent, committed, overdraft }: Spending,
  { cap, enforcement }: Limits,
  { request, most, others }: { request: AdmissionRequest; most: number; others: number },
): Plan {
  if (cap === undefined || enforcement === "spent") return { kind: "reserve", maxTokens: most };
  const room = cap - committed;
  const headroom = Math.min(maxHeadroom, 1 + others);
  const prompt = request.costAt(0);
  const answer = (maxTokens: number) => request.costAt(maxTokens) - prompt;
  const fits = (maxTokens: number, times: number) => prompt + answer(maxTokens) * times <= room;
  if (fits(most, headroom)) return { kind: "reserve", maxTokens: most };

  const mayOverdraw = overdraft === undefined && room > 0;
  // A caller's only call is never shortened.
  if (mayOverdraw && committed === spent) return { kind: "overdraw", maxTokens: most };
  const floor = Math.min(most, floorOf(request));
  const lower = steps.filter((step) => step < most && step > floor);
  const fitting = lower.find((step) => fits(step, headroom)) ?? (fits(floor, 1) ? floor : undefined);
  if (fitting !== undefined) return { kind: "reserve", maxTokens: fitting };
  if (!mayOverdraw) return { kind: "wait", refusal: reservedByOthers("this month's budget") };
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
  const least = request.thinkingTokens > 0 ? request.thinkingTokens + creditFloorTokens : creditFloorTokens;
  if (most >= Math.min(request.maxTokens, least)) return most;
  const shortest = output + Math.min(request.maxTokens, least);
  const isHeldByOthers = committed > spent && input + shortest <= mostCommitted(granted) - spent;
  if (isHeldByOthers) return { kind: "wait", refusal: reservedByOthers("the free credit") };
  return { kind: "refuse", refusal: new TooLittleCredit(credit, { input, shortest, counted: request.countedInput }) };
}

/** The refusal of a call that is too large for what is left of the free credit. By the bytes of a prompt it may be too large, and by its tokens not. */
export class TooLittleCredit extends Refusal {
  readonly granted: number;

  constructor(
    { granted, spent }: Pick<Credit, "granted" | "spent">,
    { input, shortest, counted }: { input: number; shortest: number; counted: number | undefined },
  ) {
    const left = `${granted - spent} of ${granted} tokens of the free credit are left`;
    const asked =
      counted === undefined
        ? `this request can use ${input + shortest}, by the size of its body`
        : `this request can use ${counted + shortest}: ${counted} for its prompt, as count_tokens tells, and ${shortest} for an answer`;
    super(
      "credit_exhausted",
      `Too little free credit: ${left}, and ${asked}. A payment method ends this limit within a minute.`,
    );
    this.granted = granted;
  }
}

/** The refusal has no `retry-after`, because clients would sleep until the end of the month. */
export function overBudget(resetsAt: number): Refusal {
  const reset = new Date(resetsAt).toISOString();
  const message = `The monthly budget is spent. The workspace's owner can raise it; it resets at ${reset}.`;
  return new Refusal("budget_exceeded", message, { resetsAt });
}

/** All callers of a tenant share one credit, which does not come back. A workspace gets it later where the platform has given all of a day's. */
function creditSpent({ granted }: Pick<Credit, "granted">): Refusal {
  if (granted === 0)
    return new Refusal(
      "credit_exhausted",
      "The workspace has no free credit yet: the platform gives only so much on a day (UTC). It comes by itself, tomorrow as a rule; with a payment method the workspace goes on within a minute.",
    );
  return new Refusal(
    "credit_exhausted",
    "The free credit is used up and does not come back: the workspace goes on within a minute once its owner has added a payment method (the platform's operator may lift this by archway:enforceFreeCredit).",
  );
}

export function reservedByOthers(what: string): Refusal {
  const message = `The rest of ${what} is reserved by requests in flight.`;
  return new Refusal("budget_reserved", message, { retryAfterSeconds: busyRetrySeconds });
}

function tooManyInFlight({ maxInFlight }: Limits): Refusal {
  const message = `${maxInFlight} requests are in flight, which is the most.`;
  return new Refusal("concurrency_limited", message, { retryAfterSeconds: busyRetrySeconds });
}
