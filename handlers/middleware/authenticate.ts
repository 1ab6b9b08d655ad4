// Checks that the caller of the control plane is a person with a token of the right scope. authorize.ts decides what they may do.
import type { TokenVerifier } from "../../domain/access/credential.ts";
import type { Discovery } from "../../domain/access/discovery.ts";
import { heldScopes, mayAdminister, registeredClientSchema } from "../../domain/access/registered-client.ts";
import type { Scope } from "../../domain/access/scope.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import type { SignedIn } from "./caller.ts";
import { presentedCredentials } from "./credentials.ts";
import type { ObservedEvent } from "./observe.ts";

type AuthenticateOptions = { tokens: TokenVerifier; scopePrefix: string; clients: Discovery["clients"] };

/**
 * Refuses with credential_missing, _invalid or _expired, scope_missing or identity_unavailable.
 * @param openers scopes that open the route beside `control:manage`
 */
type Authenticate = (event: Pick<ObservedEvent, "headers">, openers?: readonly Scope[]) => Promise<SignedIn>;

export function authentication({ tokens, scopePrefix, clients }: AuthenticateOptions): Authenticate {
  const registered = new Map(
    Object.entries(clients).map(([use, { client_id }]) => [
      client_id,
      registeredClientSchema.parse({ client_id, use }),
    ]),
  );
  return async ({ headers }, asked = []) => {
    const { token } = presentedCredentials(headers, "Send a token as Authorization: Bearer");
    const openers: Scope[] = ["control:manage", ...asked];
    const needed = `This needs a token with the scope ${openers.map((scope) => `"${scope}"`).join(" or ")}`;
    if (!token) throw new Refusal("scope_missing", `${needed}; an API key can only call the proxy`);
    const claims = await tokens.verify(token);
    const client = registered.get(claims.client_id);
    const held = heldScopes(client, claims.scope, scopePrefix);
    if (!openers.some((scope) => held.includes(scope))) {
      // An assistant's token opens other routes.
      const why = held.length > 0 ? `${needed}: do it in the console` : needed;
      throw new Refusal("scope_missing", why);
    }
    const { sub, client_id: clientId, tenant_id: tenantId, auth_time } = claims;
    const platformRole = mayAdminister(client) ? claims.platform_role : undefined;
    const signedInAt = auth_time === undefined ? undefined : auth_time * 1000;
    return { sub, clientId, tenantId, platformRole, signedInAt };
  };
}
