// The refusals of a route: those that follow from its access rule and its parts, and those that it names itself.
import type { AccessRule } from "../../../domain/access/access-rule.ts";
import type { RefusalCode } from "../../../domain/kernel/refusal.ts";
import type { Route } from "./route.ts";

/** Refusals of every route: the request is wrong, the caller unknown, or the store out of reach. */
export const refusalsOfEvery: readonly RefusalCode[] = [
  ...(["credential_missing", "credential_invalid", "credential_expired", "credential_ended", "scope_missing"] as const),
  ...(["invalid_request", "internal", "store_unavailable", "identity_unavailable"] as const),
];

const ofAccess: Record<AccessRule, RefusalCode[]> = {
  signed_in: [],
  member: ["role_missing", "no_active_tenant", "tenant_suspended"],
  owner: ["role_missing", "no_active_tenant", "tenant_suspended"],
  tenant_owner: ["not_found", "role_missing", "tenant_suspended"],
  tenant_manager: ["not_found", "role_missing", "tenant_suspended"],
  tenant_reader: ["not_found", "role_missing", "tenant_suspended"],
  platform_admin: ["role_missing"],
  platform_reader: ["role_missing"],
};

/** Whether a call may name the version that it changes, with `If-Match`. */
export function isConditional({ method, path, versionedBy, idempotent }: Route): boolean {
  if (versionedBy === undefined || versionedBy === "content" || method === "GET") return false;
  // A creation without a resource in its path has no earlier version.
  return path.includes("{") || !idempotent;
}

export function refusalsOf(route: Route): RefusalCode[] {
  const { access, path, body, idempotent, recentSignIn, asksOutside, refusals = [] } = route;
  const parts: RefusalCode[] = [
    ...(path.includes("{") ? (["not_found"] as const) : []),
    ...(recentSignIn ? (["sign_in_too_old"] as const) : []),
    ...(asksOutside ? (["rate_limited"] as const) : []),
    ...(body ? (["request_too_large"] as const) : []),
    ...(isConditional(route) ? (["precondition_failed"] as const) : []),
    ...(idempotent ? (["idempotency_key_used"] as const) : []),
  ];
  return [...new Set([...refusalsOfEvery, ...ofAccess[access], ...parts, ...refusals])];
}
