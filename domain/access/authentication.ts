// Authenticates a proxied call: whose credential it is, and what the credential may do.

import { invalidCredential, KeySetUnavailable, type PresentedCredentials, type TokenVerifier } from "./credential.ts";
import type { Grant } from "./grant.ts";
import type { ApiKeyMatcher } from "./key-matcher.ts";
import { holdsScope } from "./scope.ts";

/** A valid credential. Whether it may be used at this tenant's address and for this call is decided later. */
export type AuthenticatedCredential = {
  tenantId: string | undefined;
  /** The person's sub, or the service account's `sa_...`. */
  callerId: string;
  mayInvoke: boolean;
  /** The limits in a service account's key; a person's limits are their grant in the store. */
  ownGrant: Grant | undefined;
  /** Id of the API key; none for a token. */
  keyId: string | undefined;
};

export type AuthenticationDependencies = {
  tokens: TokenVerifier;
  keys: Pick<ApiKeyMatcher, "match">;
  scopePrefix: string;
};

/**
 * A token takes precedence. The key is used if there is no token, or if tokens cannot be verified now.
 * @param presented reads the credentials of the request, and refuses a request without any
 * @throws Refusal credential_missing, credential_invalid or credential_expired.
 */
export async function authenticate(
  { tokens, keys, scopePrefix }: AuthenticationDependencies,
  presented: () => PresentedCredentials,
): Promise<AuthenticatedCredential> {
  const { key, token } = presented();
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
