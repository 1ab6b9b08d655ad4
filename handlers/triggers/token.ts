// Before a token is made: where its holder works and as what, and what its app client may ask for.
import type { PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import { mayAdminister, withheldScopes } from "../../domain/access/registered-client.ts";
import { tokenWorkspace } from "../../domain/access/token-workspace.ts";
import { sameAddress } from "../../domain/kernel/mail.ts";
import { syncUserOnSignIn } from "../../domain/workspace/user.ts";
import type { TriggersDependencies } from "./dependencies.ts";
import { personOf } from "./person.ts";

type Dependencies = Pick<TriggersDependencies, "users" | "facts" | "platformAdmins" | "scopePrefix" | "clock">;

/** Every claim that the platform makes. What does not apply is suppressed, so that no attribute of the pool passes for it. */
const claimNames = ["tenant_id", "tenant_role", "custom:tenant_role", "platform_role"];

/**
 * Two calls to the store for somebody who is known and active. If one fails there is no token: one without a workspace would
 * be taken for the truth until it is over, and the client would ask the person to make a workspace.
 */
export async function beforeToken(
  event: PreTokenGenerationV2TriggerEvent,
  { users, facts, platformAdmins, scopePrefix, clock }: Dependencies,
): Promise<PreTokenGenerationV2TriggerEvent> {
  const person = personOf(event);
  const record = await syncUserOnSignIn(users, person, clock());
  const { client, workspace } = await tokenWorkspace(facts, record, event.callerContext.clientId);
  const role = workspace?.membership.tenant_role;
  const isVerified = event.request.userAttributes.email_verified === "true";
  const isAdmin = isVerified && platformAdmins.some((admin) => sameAddress(admin, person.email));
  const claims: Record<string, string> = {
    ...(workspace && role && { tenant_id: workspace.tenant.tenant_id, tenant_role: role, "custom:tenant_role": role }),
    ...(isAdmin && mayAdminister(client) && { platform_role: "platform_admin" }),
  };
  const generation = {
    claimsToAddOrOverride: claims,
    claimsToSuppress: claimNames.filter((name) => !(name in claims)),
  };
  const scopesToSuppress = withheldScopes(client, scopePrefix);
  const accessTokenGeneration = { ...generation, scopesToSuppress };
  return {
    ...event,
    response: { claimsAndScopeOverrideDetails: { idTokenGeneration: generation, accessTokenGeneration } },
  };
}
