// Authenticates a proxied call: whose credential it is, and what the credential may do.

import { Refusal } from "../kernel/refusal.ts";
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
 * A token takes precedence. The key is used if there is no token, or if tokens cannot be verified now: then a key that is no good
 * says nothing of the token, which may be valid.
 * @param presented reads the credentials of the request, and refuses a request without any
 * @throws Refusal credential_missing, credential_invalid, credential_expired, credential_ended or identity_unavailable.
 */
export async function authenticate(
  deps: AuthenticationDependencies,
  presented: () => PresentedCredentials,
): Promise<AuthenticatedCredential> {
  const { key, token } = presented();
  if (!token) return byKey(deps, key);
  try {
    return await byToken(deps, token);
  } catch (error) {
    if (!(error instanceof KeySetUnavailable) || !key) throw error;
    return byKey(deps, key).catch((refusal) => {
      throw refusal instanceof Refusal && refusal.code.startsWith("credential_") ? error : refusal;
    });
  }
}

async function byToken({ tokens, scopePrefix }: AuthenticationDependencies, token: string) {
  const { tenant_id, sub, scope } = await tokens.verify(token);
  const mayInvoke = holdsScope(scope, "proxy:invoke", scopePrefix);
  return { tenantId: tenant_id, callerId: sub, mayInvoke, ownGrant: undefined, keyId: undefined };
}

async function byKey({ keys }: AuthenticationDependencies, key: string | undefined) {
  if (!key) throw invalidCredential();
  const { tenant_id, caller_id, scope, grant, key_id } = await keys.match(key);
  return {
    tenantId: tenant_id,
    callerId: caller_id,
    mayInvoke: scope === "proxy:invoke",
    ownGrant: grant,
    keyId: key_id,
  };
}
