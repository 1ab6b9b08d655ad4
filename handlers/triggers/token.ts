// The trigger before a token is made: it adds the holder's workspace and role, and withholds the scopes that the app client may not have.
import type { PostConfirmationTriggerEvent, PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import { mayAdminister, withheldScopes } from "../../domain/access/registered-client.ts";
import { tokenWorkspace } from "../../domain/access/token-workspace.ts";
import { sameAddress } from "../../domain/kernel/mail.ts";
import { tellWaiting } from "../../domain/people/approval.ts";
import { syncUserOnSignIn } from "../../domain/people/sign-in.ts";
import type { SignedIn } from "../../domain/people/user.ts";
import type { PlatformRole } from "../../domain/workspace/platform-role.ts";
import type { TriggersDependencies } from "./dependencies.ts";

type Dependencies = Pick<
  TriggersDependencies,
  | ("users" | "facts" | "platformAdmins" | "platformSupport" | "approval" | "scopePrefix")
  | ("clock" | "newId" | "mailer" | "platform" | "log")
>;

/** Every claim that the platform makes. A claim that does not apply is suppressed, so that no attribute of the pool passes for it. */
const claimNames = ["tenant_id", "tenant_role", "custom:tenant_role", "platform_role"];

/**
 * Takes two calls to the store for a person who is known and active. If a call fails there is no token: a token without a workspace
 * would be believed until it expires, and the client would ask the person to create a workspace.
 */
export async function beforeToken(
  event: PreTokenGenerationV2TriggerEvent,
  deps: Dependencies,
): Promise<PreTokenGenerationV2TriggerEvent> {
  const { facts, scopePrefix } = deps;
  const person = personOf(event, deps);
  const record = await comeIn(person, deps);
  const { client, workspace } = await tokenWorkspace(facts, record, event.callerContext.clientId);
  const role = workspace?.membership.tenant_role;
  const claims: Record<string, string> = {
    ...(workspace && role && { tenant_id: workspace.tenant.tenant_id, tenant_role: role, "custom:tenant_role": role }),
    ...(person.platformRole && mayAdminister(client) && { platform_role: person.platformRole }),
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

/** Brings profile and memberships up to date, and tells a person who waits for approval from now on. */
export async function comeIn(
  person: SignedIn,
  deps: Pick<Dependencies, "users" | "clock" | "newId" | "mailer" | "platform" | "log">,
) {
  const record = await syncUserOnSignIn(deps.users, person, deps.clock(), deps.newId);
  if (record.beginsToWait) await tellWaiting(deps, record.profile);
  return record;
}

/** The person whom a trigger's event concerns. @throws Error for an account without an address, which this pool does not have. */
export function personOf(
  { request: { userAttributes } }: PostConfirmationTriggerEvent | PreTokenGenerationV2TriggerEvent,
  {
    platformAdmins,
    platformSupport,
    approval,
  }: Pick<TriggersDependencies, "platformAdmins" | "platformSupport" | "approval">,
): SignedIn & { platformRole: PlatformRole | undefined } {
  const { sub, email, email_verified } = userAttributes;
  if (!sub || !email) throw new Error("the account has no sub or no e-mail address");
  const isVerified = email_verified === "true";
  const isOf = (addresses: readonly string[]) => isVerified && addresses.some((one) => sameAddress(one, email));
  const isAdmin = isOf(platformAdmins);
  const platformRole = isAdmin ? "platform_admin" : isOf(platformSupport) ? "platform_support" : undefined;
  const isApproved = isAdmin || approval === "automatic";
  return { sub, email, isVerified, ...waysIn(userAttributes), platformRole, isApproved };
}

/** An account of the pool's own has identities too, once one is linked to it. */
function waysIn({ "cognito:user_status": status, identities = "[]" }: Record<string, string>) {
  const named = (JSON.parse(identities) as { providerName?: string }[]).map((one) => one.providerName ?? "external");
  if (status === "EXTERNAL_PROVIDER") return { provider: named[0] ?? "external", linked: [] };
  return { provider: "password", linked: [...new Set(named)].toSorted() };
}
