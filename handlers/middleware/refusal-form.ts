// The HTTP form of a refusal: status, error type, and the body of every error (docs/specification.md, Errors).
import type { Refusal, RefusalCode } from "../../domain/kernel/refusal.ts";

/**
 * Status and `error.type` of each code, whether a repeat can help (`x-should-retry`), and the seconds after which it may (`retry-after`). A refusal that computed
 * its own time has that one.
 */
export const refusalForms = {
  credential_missing: { status: 401, type: "authentication_error", shouldRetry: false },
  credential_invalid: { status: 401, type: "authentication_error", shouldRetry: false },
  credential_expired: { status: 401, type: "authentication_error", shouldRetry: false },
  credential_ended: { status: 401, type: "authentication_error", shouldRetry: false },
  tenant_unknown: { status: 404, type: "tenant_not_found", shouldRetry: false },
  tenant_suspended: { status: 403, type: "tenant_suspended", shouldRetry: false },
  tenant_mismatch: { status: 403, type: "permission_error", shouldRetry: false },
  scope_missing: { status: 403, type: "permission_error", shouldRetry: false },
  grant_missing: { status: 403, type: "permission_error", shouldRetry: false },
  role_missing: { status: 403, type: "permission_error", shouldRetry: false },
  sign_in_too_old: { status: 403, type: "permission_error", shouldRetry: false },
  approval_pending: { status: 403, type: "permission_error", shouldRetry: false },
  model_not_allowed: { status: 403, type: "permission_error", shouldRetry: false },
  model_unknown: { status: 404, type: "not_found_error" },
  region_not_allowed: { status: 403, type: "permission_error", shouldRetry: false },
  not_found: { status: 404, type: "not_found_error", shouldRetry: false },
  no_active_tenant: { status: 404, type: "not_found_error" },
  method_not_allowed: { status: 405, type: "invalid_request_error" },
  slug_taken: { status: 409, type: "conflict_error", shouldRetry: false },
  workspace_limit_reached: { status: 409, type: "conflict_error", shouldRetry: false },
  workspace_deleted: { status: 409, type: "conflict_error", shouldRetry: false },
  workspace_not_deleted: { status: 409, type: "conflict_error", shouldRetry: false },
  purge_running: { status: 409, type: "conflict_error", retryAfter: 60 },
  key_limit_reached: { status: 409, type: "conflict_error", shouldRetry: false },
  service_account_limit_reached: { status: 409, type: "conflict_error", shouldRetry: false },
  key_ended: { status: 409, type: "conflict_error", shouldRetry: false },
  key_replaced: { status: 409, type: "conflict_error", shouldRetry: false },
  idempotency_key_used: { status: 409, type: "conflict_error", shouldRetry: false },
  already_member: { status: 409, type: "conflict_error", shouldRetry: false },
  already_invited: { status: 409, type: "conflict_error", shouldRetry: false },
  person_removed: { status: 409, type: "conflict_error", shouldRetry: false },
  owner_cannot_leave: { status: 409, type: "conflict_error", shouldRetry: false },
  address_unproven: { status: 409, type: "conflict_error", shouldRetry: false },
  invitation_limit_reached: { status: 409, type: "conflict_error", shouldRetry: false },
  workspace_incomplete: { status: 409, type: "conflict_error", retryAfter: 60 },
  gateway_missing: { status: 409, type: "conflict_error", shouldRetry: false },
  gateway_deleting: { status: 409, type: "conflict_error", retryAfter: 30 },
  previous_secret_valid: { status: 409, type: "conflict_error", shouldRetry: false },
  platform_full: { status: 409, type: "conflict_error", shouldRetry: false },
  integration_limit_reached: { status: 409, type: "conflict_error", shouldRetry: false },
  integration_name_taken: { status: 409, type: "conflict_error", shouldRetry: false },
  integration_deleting: { status: 409, type: "conflict_error", shouldRetry: false },
  secret_missing: { status: 409, type: "conflict_error", shouldRetry: false },
  skill_limit_reached: { status: 409, type: "conflict_error", shouldRetry: false },
  digest_mismatch: { status: 409, type: "conflict_error", shouldRetry: false },
  secret_limit_reached: { status: 409, type: "conflict_error", shouldRetry: false },
  changed_meanwhile: { status: 409, type: "conflict_error", retryAfter: 1 },
  precondition_failed: { status: 412, type: "invalid_request_error" },
  invalid_request: { status: 400, type: "invalid_request_error" },
  skill_invalid: { status: 400, type: "invalid_request_error" },
  thread_unsupported_request: { status: 400, type: "invalid_request_error" },
  request_too_large: { status: 413, type: "request_too_large" },
  encoding_unsupported: { status: 415, type: "invalid_request_error" },
  budget_exceeded: { status: 429, type: "billing_error", shouldRetry: false },
  cap_reached: { status: 429, type: "billing_error", shouldRetry: false },
  credit_exhausted: { status: 429, type: "billing_error", shouldRetry: false },
  rate_limited: { status: 429, type: "rate_limit_error", retryAfter: 1 },
  concurrency_limited: { status: 429, type: "rate_limit_error", retryAfter: 2 },
  budget_reserved: { status: 429, type: "rate_limit_error", retryAfter: 2 },
  batches_unavailable: { status: 501, type: "not_supported", shouldRetry: false },
  counting_unavailable: { status: 501, type: "not_supported", shouldRetry: false },
  upstream_failed: { status: 502, type: "api_error" },
  upstream_overloaded: { status: 503, type: "overloaded_error", retryAfter: 5 },
  upstream_too_slow: { status: 503, type: "overloaded_error", shouldRetry: false },
  store_unavailable: { status: 503, type: "overloaded_error", retryAfter: 1 },
  identity_unavailable: { status: 503, type: "overloaded_error", retryAfter: 1 },
  payments_unavailable: { status: 503, type: "overloaded_error", retryAfter: 10 },
  gateway_unavailable: { status: 503, type: "overloaded_error", retryAfter: 5 },
  internal: { status: 500, type: "api_error" },
} as const satisfies Record<
  RefusalCode,
  { status: number; type: string } & ({ shouldRetry?: false } | { retryAfter: number })
>;

/** The statuses that each stack chooses. */
export type ChosenStatuses = {
  /** The status of a spent budget or credit. */
  budget?: 402 | 429 | undefined;
  /** The status of refusals that no other token of the same person cures, for a client that would get one and try again for minutes. */
  incurable?: 402 | 403 | 409 | 451 | undefined;
};

/** The HTTP status of a refusal. */
export function statusOf(code: RefusalCode, { budget = 429, incurable = 403 }: ChosenStatuses = {}): number {
  const { status, type } = refusalForms[code];
  if (type === "billing_error") return budget;
  return incurable !== 403 && isIncurable(code) ? incurable : status;
}

/** Whether trying again cannot help: the caller may not do this, or nobody is at the address. An unknown model keeps its 404, which clients explain well. */
function isIncurable(code: RefusalCode): boolean {
  return refusalForms[code].status === 403 || code === "tenant_unknown" || code === "not_found";
}

/** Whether a client is told not to try again, by `x-should-retry: false`. */
export function isFinal(code: RefusalCode): boolean {
  return "shouldRetry" in refusalForms[code];
}

/** The seconds after which a repeat may succeed; undefined for a code that brings no `retry-after`. */
export function secondsToWait(code: RefusalCode): number | undefined {
  const form = refusalForms[code];
  return "retryAfter" in form ? form.retryAfter : undefined;
}

type Details = Pick<Refusal, "unsupported" | "fields" | "tenantId">;

/** The body of every error of the proxy and the control plane (docs/specification.md, Errors). */
export function errorBody(code: RefusalCode, message: string, requestId: string, details: Partial<Details> = {}) {
  const { unsupported, fields, tenantId } = details;
  return {
    type: "error",
    error: {
      type: refusalForms[code].type,
      message,
      details: {
        error_code: code,
        ...(unsupported && { unsupported }),
        ...(fields && { fields }),
        ...(tenantId && { tenant_id: tenantId }),
      },
    },
    request_id: requestId,
  };
}
