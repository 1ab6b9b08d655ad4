// Checks that the caller of the control plane is a person with a token of the right scope. authorize.ts decides what they may do.
import type { TokenVerifier } from "../../domain/access/credential.ts";
import { holdsScope } from "../../domain/access/scope.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { SignedIn } from "./caller.ts";
import { presentedCredentials } from "./credentials.ts";
import type { ObservedEvent } from "./observe.ts";

type AuthenticateOptions = { tokens: TokenVerifier; scopePrefix: string };

/** Refuses with credential_missing, _invalid or _expired, scope_missing or identity_unavailable. */
type Authenticate = (event: Pick<ObservedEvent, "headers">) => Promise<SignedIn>;

export function authentication({ tokens, scopePrefix }: AuthenticateOptions): Authenticate {
  return async ({ headers }) => {
    const { token } = presentedCredentials(headers);
    const needed = 'This needs a token with the scope "control:manage"';
    if (!token) throw new Refusal("scope_missing", `${needed}; an API key can only call the proxy`);
    const claims = await tokens.verify(token);
    if (!holdsScope(claims.scope, "control:manage", scopePrefix)) throw new Refusal("scope_missing", needed);
    const { sub, client_id: clientId, tenant_id: tenantId, platform_role: platformRole } = claims;
    return { sub, clientId, tenantId, platformRole };
  };
}
