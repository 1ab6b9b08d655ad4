// How Stripe says no: the members of `error` in its answers (docs.stripe.com/api/errors), for v1 and v2 alike.

export type ErrorType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

type Members = { code?: string; param?: string; decline_code?: string; payment_method?: unknown };

export class StripeRefusal extends Error {
  readonly status: number;
  readonly type: ErrorType;
  readonly members: Members;
  /** False if it came before the endpoint began, so that an idempotency key does not keep it. */
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

/** A parameter that the endpoint does not take as it is. The endpoint has not begun. */
export function invalidParameter(code: string, message: string, param?: string): StripeRefusal {
  return new StripeRefusal(400, "invalid_request_error", message, { code, ...(param && { param }) }, false);
}

export function invalidRequest(message: string, members: Members = {}): StripeRefusal {
  return new StripeRefusal(400, "invalid_request_error", message, members);
}

/** Words of Stripe's own: "No such customer: 'cus_1'" (docs.stripe.com/error-codes, resource_missing). */
export function missing(noun: string, id: string, param = "id", status = 404): StripeRefusal {
  const members = { code: "resource_missing", param };
  return new StripeRefusal(status, "invalid_request_error", `No such ${noun}: '${id}'`, members);
}

export function rateLimited(message: string): StripeRefusal {
  return new StripeRefusal(429, "invalid_request_error", message, { code: "rate_limit" }, false);
}
