// What a person may ask that costs more than a few rows of the table: such questions are paid for in time.
import { Refusal } from "./refusal.ts";

/** Each kind has a purse of its own, so that who reads much can still pay a bill. `outside`: of a system that is not ours. */
export type QuestionKind = "usage" | "outside";
export type Purse = { sub: string; kind: QuestionKind };

export interface QuestionAllowances {
  /** Takes the price of a question, unless the person would then be more than `most` milliseconds ahead of time. */
  take(purse: Purse, milliseconds: number, most: number): Promise<boolean>;
  /** Corrects the time that was taken, up or down, once the real cost is known. */
  correct(purse: Purse, milliseconds: number): Promise<void>;
}

/** How much time a person's questions may cost in advance. */
export const mostAheadMs = 30_000;

/** Thirty at once, then one a second: a page asks two or three, and the limits of those systems are for all people together. */
const outsideMs = 1_000;

/**
 * Pays for a call that asks the payment provider, the identity provider or AgentCore.
 * @throws Refusal rate_limited
 */
export async function payOutside(allowances: QuestionAllowances, sub: string): Promise<void> {
  if (await allowances.take({ sub, kind: "outside" }, outsideMs, mostAheadMs)) return;
  const message = "This asks a system outside of the platform, once a second for each person in the long run";
  throw new Refusal("rate_limited", message, { retryAfterSeconds: outsideMs / 1000 });
}
