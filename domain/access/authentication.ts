// Step 4 of a proxied call: whose the credential is, and what it may do.
import type { ApiKeyMatcher } from "./api-key-matcher.ts";
import { invalidCredential, KeySetUnavailable, presentedCredentials, type TokenVerifier } from "./credential.ts";
import type { Grant } from "./grant.ts";
import { holdsScope } from "./scope.ts";

/** A credential that is valid; whether it counts for this tenant and for this call is decided after it. */
export type AuthenticatedCredential = {
  tenantId: string | undefined;
  /** The person's sub, or the service account's `sa_...`. */
  callerId: string;
  mayInvoke: boolean;
  /** A service account's limits; people have theirs in the store. */
  ownGrant: Grant | undefined;
  /** Of the API key, if it is one. */
  keyId: string | undefined;
};

export type AuthenticationDependencies = {
  tokens: TokenVerifier;
  keys: Pick<ApiKeyMatcher, "match">;
  scopePrefix: string;
};

/**
 * A token decides if there is one; the key counts without one, or when no token can be judged.
 * @param headers with lower-case names.
 * @throws Refusal credential_missing, credential_invalid or credential_expired.
 */
export async function authenticate(
  { tokens, keys, scopePrefix }: AuthenticationDependencies,
  headers: Record<string, string | undefined>,
): Promise<AuthenticatedCredential> {
  const { key, token } = presentedCredentials(headers);
  if (token) {
    try {
      const { tenant_id, sub, scope } = await tokens.verify(token);
      const mayInvoke = holdsScope(scope, "proxy:invoke", scopePrefix);
      return { tenantId: tenant_id, callerId: sub, mayInvoke, ownGrant: undefined, keyId: undefined };
    } catch (error) {
      if (!(error instanceof KeySetUnavailable)) throw error;
      if (!key) throw invalidCredential(error);
    }
  }
  if (!key) throw invalidCredential();
  const { tenant_id, caller_id, scope, grant, key_id } = await keys.match(key);
  const mayInvoke = scope === "proxy:invoke";
  return { tenantId: tenant_id, callerId: caller_id, mayInvoke, ownGrant: grant, keyId: key_id };
}
