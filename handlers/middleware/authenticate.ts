// Checks that the caller of the control plane is a person with a token of the right scope. authorize.ts decides what they may do.
import type { TokenVerifier } from "../../domain/access/credential.ts";
import { holdsScope, type Scope } from "../../domain/access/scope.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { SignedIn } from "./caller.ts";
import { presentedCredentials } from "./credentials.ts";
import type { ObservedEvent } from "./observe.ts";

type AuthenticateOptions = { tokens: TokenVerifier; scopePrefix: string };

/**
 * Refuses with credential_missing, _invalid or _expired, scope_missing or identity_unavailable.
 * @param opener a scope that opens the route beside `control:manage`
 */
type Authenticate = (event: Pick<ObservedEvent, "headers">, opener?: Scope) => Promise<SignedIn>;

export function authentication({ tokens, scopePrefix }: AuthenticateOptions): Authenticate {
  return async ({ headers }, opener) => {
    const { token } = presentedCredentials(headers);
    const openers = ["control:manage" as const, ...(opener ? [opener] : [])];
    const needed = `This needs a token with the scope ${openers.map((scope) => `"${scope}"`).join(" or ")}`;
    if (!token) throw new Refusal("scope_missing", `${needed}; an API key can only call the proxy`);
    const claims = await tokens.verify(token);
    if (!openers.some((scope) => holdsScope(claims.scope, scope, scopePrefix))) {
      // An assistant's token opens other routes.
      const why = holdsScope(claims.scope, "control:read", scopePrefix) ? `${needed}: do it in the console` : needed;
      throw new Refusal("scope_missing", why);
    }
    const { sub, client_id: clientId, tenant_id: tenantId, platform_role: platformRole, auth_time } = claims;
    const signedInAt = auth_time === undefined ? undefined : auth_time * 1000;
    return { sub, clientId, tenantId, platformRole, signedInAt };
  };
}
