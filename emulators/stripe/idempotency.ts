// Idempotency keys: the first answer is kept for a day and replayed, in v1 also a 500 (docs.stripe.com/api/idempotent_requests).
import { createHash } from "node:crypto";
import type { Account } from "./account.ts";
import { StripeRefusal } from "./refusal.ts";

export type Answer = { status: number; body: unknown };
type Kept = { at: number; fingerprint: string; answer: Answer };

const lifetimeSeconds = 86_400;

export class IdempotencyKeys {
  readonly #account: Account;
  readonly #inUse = new Set<string>();

  constructor(account: Account) {
    this.#account = account;
  }

  /**
   * The kept answer of a key. For a new key it is the answer of `execute`, which is kept if the endpoint began.
   * @param keepsFailures true for v1, which replays a 500; v2 executes a failed request again
   * @throws StripeRefusal for a key of another request, or of a request in progress
   */
  async once(
    key: string,
    request: { method: string; path: string; body: string },
    keepsFailures: boolean,
    execute: () => Promise<{ answer: Answer; began: boolean }>,
  ): Promise<Answer & { replayed: boolean }> {
    const keys = this.#account.store.collection<Kept>("stripe-idempotency-key");
    const fingerprint = createHash("sha256").update(JSON.stringify(request)).digest("base64url");
    const kept = keys.get(key);
    if (kept && this.#account.now() < kept.at + lifetimeSeconds) {
      if (kept.fingerprint !== fingerprint) throw otherParameters(key);
      return { ...kept.answer, replayed: true };
    }
    if (this.#inUse.has(key)) throw inUse(key);
    this.#inUse.add(key);
    try {
      const { answer, began } = await execute();
      if (began && (keepsFailures || answer.status < 400))
        keys.put(key, { at: this.#account.now(), fingerprint, answer });
      return { ...answer, replayed: false };
    } finally {
      this.#inUse.delete(key);
    }
  }
}

function otherParameters(key: string): StripeRefusal {
  const message = `Keys for idempotent requests can only be used with the same parameters they were first used with. Try using a key other than '${key}' if you meant to execute a different request.`;
  return new StripeRefusal(400, "idempotency_error", message, {}, false);
}

/** docs.stripe.com/error-codes, idempotency_key_in_use. */
function inUse(key: string): StripeRefusal {
  const message = `There is currently another in-progress request using this Idempotency Key (${key}).`;
  return new StripeRefusal(409, "idempotency_error", message, { code: "idempotency_key_in_use" }, false);
}
