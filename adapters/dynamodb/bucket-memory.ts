// What one instance remembers of callers' rate-limit buckets. DynamoDB's conditions know no arithmetic, so a write has one
// of two forms, and this says which one to try first.
import type { SpendingKey } from "../../domain/spending/spending.ts";

/** `idle`: the bucket is thought to be full (`tat` in the past). `busy`: it is in use. */
export type BucketForm = "idle" | "busy";

export type BucketGuess = {
  form: BucketForm;
  /** `idle` also passes a bucket in use by no more than this, and takes all of it: where the two forms overlap. */
  slackMicros: number;
  nowMicros: number;
};

const maxRemembered = 10_000;

export class BucketMemory {
  // The last `tat` seen of each spending item, the longest unused one first.
  readonly #seen = new Map<string, number>();

  knows(key: SpendingKey): boolean {
    return this.#seen.has(nameOf(key));
  }

  formOf(key: SpendingKey, nowMicros: number): BucketForm {
    return (this.#seen.get(nameOf(key)) ?? 0) > nowMicros ? "busy" : "idle";
  }

  /** `tat` only grows, and answers can overtake each other. */
  remember(key: SpendingKey, tat: number): void {
    const name = nameOf(key);
    const latest = Math.max(tat, this.#seen.get(name) ?? 0);
    this.#seen.delete(name);
    this.#seen.set(name, latest);
    const [oldest] = this.#seen.keys();
    if (this.#seen.size > maxRemembered && oldest !== undefined) this.#seen.delete(oldest);
  }
}

/** Whether a write of this form is refused for a bucket in this state, however much room the bucket has. */
export function isWrongGuess({ form, slackMicros, nowMicros }: BucketGuess, tat: number): boolean {
  return form === "idle" ? tat > nowMicros + slackMicros : tat <= nowMicros;
}

function nameOf({ tenantId, callerId, month }: SpendingKey): string {
  return `${tenantId}#${callerId}#${month}`;
}
