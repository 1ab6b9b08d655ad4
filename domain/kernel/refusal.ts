// Refusals: a closed union of codes, each with its one HTTP status and error type (docs/specification.md, Errors).

export type RefusalKind = { status: number; type: string; shouldRetry?: false };

/** Status and `error.type` of each code. `shouldRetry: false` becomes `x-should-retry: false`. */
export const refusals = {
  credential_missing: { status: 401, type: "authentication_error", shouldRetry: false },
  credential_invalid: { status: 401, type: "authentication_error", shouldRetry: false },
  credential_expired: { status: 401, type: "authentication_error", shouldRetry: false },
  tenant_unknown: { status: 404, type: "tenant_not_found", shouldRetry: false },
  tenant_suspended: { status: 403, type: "tenant_suspended", shouldRetry: false },
  tenant_mismatch: { status: 403, type: "permission_error", shouldRetry: false },
  scope_missing: { status: 403, type: "permission_error", shouldRetry: false },
  grant_missing: { status: 403, type: "permission_error", shouldRetry: false },
  role_missing: { status: 403, type: "permission_error", shouldRetry: false },
  approval_pending: { status: 403, type: "permission_error", shouldRetry: false },
  model_not_allowed: { status: 403, type: "permission_error", shouldRetry: false },
  model_unknown: { status: 404, type: "not_found_error" },
  region_not_allowed: { status: 403, type: "permission_error", shouldRetry: false },
  not_found: { status: 404, type: "not_found_error" },
  no_active_tenant: { status: 404, type: "not_found_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  conflict: { status: 409, type: "conflict_error" },
  precondition_failed: { status: 412, type: "invalid_request_error" },
  invalid_request: { status: 400, type: "invalid_request_error" },
  /** The model vendor's own code. Its SDK then continues without a thread. */
  thread_unsupported_request: { status: 400, type: "invalid_request_error" },
  request_too_large: { status: 413, type: "request_too_large" },
  budget_exceeded: { status: 429, type: "billing_error", shouldRetry: false },
  cap_reached: { status: 429, type: "billing_error", shouldRetry: false },
  credit_exhausted: { status: 429, type: "billing_error", shouldRetry: false },
  rate_limited: { status: 429, type: "rate_limit_error" },
  concurrency_limited: { status: 429, type: "rate_limit_error" },
  budget_reserved: { status: 429, type: "rate_limit_error" },
  batches_unavailable: { status: 501, type: "not_supported", shouldRetry: false },
  counting_unavailable: { status: 501, type: "not_supported", shouldRetry: false },
  upstream_failed: { status: 502, type: "api_error" },
  upstream_overloaded: { status: 503, type: "overloaded_error" },
  upstream_too_slow: { status: 503, type: "overloaded_error", shouldRetry: false },
  store_unavailable: { status: 503, type: "overloaded_error" },
  identity_unavailable: { status: 503, type: "overloaded_error" },
  payments_unavailable: { status: 503, type: "overloaded_error" },
  internal: { status: 500, type: "api_error" },
} as const satisfies Record<string, RefusalKind>;

export type RefusalCode = keyof typeof refusals;

/** The statuses that each stack chooses. */
export type ChosenStatuses = {
  /** Of a spent budget or credit. */
  budget?: 402 | 429 | undefined;
  /** Of a refusal that no other token of the same person cures, for a client that would ask for one again and again. */
  final?: 402 | 403 | 409 | 451 | undefined;
};

/** The HTTP status of a refusal. */
export function statusOf(code: RefusalCode, { budget = 429, final = 403 }: ChosenStatuses = {}): number {
  const { status, type } = refusals[code];
  if (type === "billing_error") return budget;
  return final !== 403 && isFinal(code) ? final : status;
}

/** Whether the caller may not do this, or nobody is at the address. A model that is unknown is for the client to tell. */
function isFinal(code: RefusalCode): boolean {
  return refusals[code].status === 403 || code === "tenant_unknown" || code === "not_found";
}

/** A refusal for the caller. People read the message, so it names the field and the allowed values. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  /** Whole seconds for `retry-after`. */
  readonly retryAfterSeconds: number | undefined;
  /** When a spent budget starts again, in milliseconds, for `x-budget-reset`. Clients would wait for the time in a `retry-after`. */
  readonly resetsAt: number | undefined;
  /** Methods for `allow`, with method_not_allowed. */
  readonly allow: readonly string[] | undefined;
  /** Parts of the request that are not supported, for `error.details.unsupported`. */
  readonly unsupported: readonly string[] | undefined;
  /** Paths of the wrong parts of the request (`grant.allowed_models.0`), for `error.details.fields`. */
  readonly fields: readonly string[] | undefined;

  constructor(
    code: RefusalCode,
    message: string,
    options: {
      retryAfterSeconds?: number | undefined;
      resetsAt?: number | undefined;
      allow?: readonly string[] | undefined;
      unsupported?: readonly string[] | undefined;
      fields?: readonly string[] | undefined;
      cause?: unknown;
    } = {},
  ) {
    super(message, { cause: options.cause });
    this.code = code;
    this.retryAfterSeconds = options.retryAfterSeconds;
    this.resetsAt = options.resetsAt;
    this.allow = options.allow;
    this.unsupported = options.unsupported;
    this.fields = options.fields;
  }

  get status(): number {
    return refusals[this.code].status;
  }

  /** `error.type` on the wire. */
  get type(): string {
    return refusals[this.code].type;
  }
}

/** A refusal because of one field. The message begins with the field's path, and `error.details.fields` names it. */
export function fieldRefusal(code: RefusalCode, field: string, message: string): Refusal {
  return new Refusal(code, `${field}: ${message}`, { fields: [field] });
}

type Details = Pick<Refusal, "unsupported" | "fields">;

/** The body of every error of the proxy and the control plane (docs/specification.md, Errors). */
export function errorBody(code: RefusalCode, message: string, requestId: string, details: Partial<Details> = {}) {
  const { unsupported, fields } = details;
  return {
    type: "error",
    error: {
      type: refusals[code].type,
      message,
      details: { error_code: code, ...(unsupported && { unsupported }), ...(fields && { fields }) },
    },
    request_id: requestId,
  };
}
