// Refusals: the members of `error` in answers of Stripe (docs.stripe.com/api/errors), the same in v1 and v2.

export type ErrorType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

type Members = { code?: string; param?: string };

export class StripeRefusal extends Error {
  readonly status: number;
  readonly type: ErrorType;
  readonly members: Members;
  /** False if the request was refused before the endpoint began. An idempotency key does not keep such an answer. */
  readonly executed: boolean;

  constructor(status: number, type: ErrorType, message: string, members: Members = {}, executed = true) {
    super(message);
    this.status = status;
    this.type = type;
    this.members = members;
    this.executed = executed;
  }

  get body(): object {
    return { error: { message: this.message, type: this.type, ...this.members } };
  }
}

/** Refuses a parameter before the endpoint begins. */
export function invalidParameter(code: string, message: string, param?: string): StripeRefusal {
  return new StripeRefusal(400, "invalid_request_error", message, { code, ...(param && { param }) }, false);
}

export function invalidRequest(message: string, members: Members = {}): StripeRefusal {
  return new StripeRefusal(400, "invalid_request_error", message, members);
}

/** The message is Stripe's: "No such customer: 'cus_1'" (docs.stripe.com/error-codes, resource_missing). */
export function missing(noun: string, id: string, param = "id", status = 404): StripeRefusal {
  const members = { code: "resource_missing", param };
  return new StripeRefusal(status, "invalid_request_error", `No such ${noun}: '${id}'`, members);
}

/** @throws StripeRefusal if there is no such object */
export function known<T>(found: T | undefined, noun: string, id = "", param = "id", status = 404): T {
  if (found === undefined) throw missing(noun, id, param, status);
  return found;
}

export function rateLimited(message: string): StripeRefusal {
  return new StripeRefusal(429, "invalid_request_error", message, { code: "rate_limit" }, false);
}
