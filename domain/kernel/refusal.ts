// Refusals: the closed union of codes by which the platform says no. Their HTTP form is in handlers/middleware/refusal-form.ts.

export const refusalCodes = [
  "credential_missing",
  "credential_invalid",
  "credential_expired",
  "credential_ended",
  "tenant_unknown",
  "tenant_suspended",
  "tenant_mismatch",
  "scope_missing",
  "grant_missing",
  "role_missing",
  "approval_pending",
  "sign_in_too_old",
  "model_not_allowed",
  "model_unknown",
  "region_not_allowed",
  "not_found",
  "no_active_tenant",
  // Refusals with 409: what is there does not allow it.
  "slug_taken",
  "workspace_limit_reached",
  "workspace_deleted",
  "workspace_not_deleted",
  "purge_running",
  "key_limit_reached",
  "service_account_limit_reached",
  "key_ended",
  "key_replaced",
  "idempotency_key_used",
  "already_member",
  "already_invited",
  "person_removed",
  "owner_cannot_leave",
  "address_unproven",
  "invitation_limit_reached",
  "changed_meanwhile",
  "workspace_incomplete",
  "gateway_missing",
  "gateway_deleting",
  "previous_secret_valid",
  "platform_full",
  "skill_limit_reached",
  "digest_mismatch",
  "secret_limit_reached",
  "integration_limit_reached",
  "integration_name_taken",
  "integration_deleting",
  "secret_missing",
  "method_not_allowed",
  "precondition_failed",
  "invalid_request",
  "skill_invalid",
  "request_too_large",
  "encoding_unsupported",
  // The model vendor's own code. Its SDK then continues without a thread.
  "thread_unsupported_request",
  "budget_exceeded",
  "cap_reached",
  "credit_exhausted",
  "rate_limited",
  "concurrency_limited",
  "budget_reserved",
  "batches_unavailable",
  "counting_unavailable",
  "upstream_failed",
  "upstream_overloaded",
  "upstream_too_slow",
  "store_unavailable",
  "identity_unavailable",
  "payments_unavailable",
  "gateway_unavailable",
  "internal",
] as const;

export type RefusalCode = (typeof refusalCodes)[number];

/** A part of a request by its path (`grant.allowed_models.0`), and what is wrong with it or allowed. */
export type WrongField = { path: string; message: string };

/** A refusal for the caller. People read the message, so it names the field and the allowed values. */
export class Refusal extends Error {
  readonly code: RefusalCode;
  /** Whole seconds for `retry-after`, where they do not follow from the code (handlers/middleware/refusal-form.ts). */
  readonly retryAfterSeconds: number | undefined;
  /** When a spent budget starts again, in milliseconds, for `x-budget-reset`. Clients would wait for the time in a `retry-after`. */
  readonly resetsAt: number | undefined;
  /** Methods for `allow`, with method_not_allowed. */
  readonly allow: readonly string[] | undefined;
  /** Parts of the request that are not supported, for `error.details.unsupported`. */
  readonly unsupported: readonly string[] | undefined;
  /** The wrong parts of the request, for `error.details.fields`. */
  readonly fields: readonly WrongField[] | undefined;
  /** The workspace that the refusal is about, for `error.details.tenant_id`, where the caller did not name it. */
  readonly tenantId: string | undefined;
  /** True if clients should not repeat the request by themselves though its code allows it, because the attempt may be billed. */
  readonly isFinal: boolean;

  constructor(
    code: RefusalCode,
    message: string,
    options: {
      retryAfterSeconds?: number | undefined;
      resetsAt?: number | undefined;
      allow?: readonly string[] | undefined;
      unsupported?: readonly string[] | undefined;
      fields?: readonly WrongField[] | undefined;
      tenantId?: string | undefined;
      isFinal?: boolean | undefined;
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
    this.tenantId = options.tenantId;
    this.isFinal = options.isFinal === true;
  }
}

/** A refusal because of one field. The message begins with the field's path, and `error.details.fields` names it. */
export function fieldRefusal(code: RefusalCode, field: string, message: string): Refusal {
  return new Refusal(code, `${field}: ${message}`, { fields: [{ path: field, message }] });
}

/**
 * A refusal because others change the same at this moment: nothing was changed, and a repeat may succeed.
 * @param field the part of the request that names it
 */
export function contention(field: string, message: string): Refusal {
  const fields = [{ path: field, message }];
  return new Refusal("changed_meanwhile", `${field}: ${message}`, { fields });
}
