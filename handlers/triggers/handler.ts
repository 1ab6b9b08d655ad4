// The user pool's triggers: a confirmed person gets a profile, and every token says where its holder works and as what.
import middy from "@middy/core";
import type { PostConfirmationTriggerEvent, PreSignUpTriggerEvent, PreTokenGenerationV2TriggerEvent } from "aws-lambda";
import { sameAddress } from "../../domain/mail.ts";
import { SignInRefused } from "../../domain/tenancy/first-sign-in.ts";
import { syncUserOnSignIn } from "../../domain/tenancy/user.ts";
import { activeWorkspace } from "../../domain/tenancy/workspace.ts";
import type { TriggersDependencies } from "./dependencies.ts";
import { beforeSignUp } from "./pre-sign-up.ts";

export type TriggerEvent = PreSignUpTriggerEvent | PostConfirmationTriggerEvent | PreTokenGenerationV2TriggerEvent;

/** Every claim that the platform makes. What does not apply is suppressed, so that no attribute of the pool passes for it. */
const claimNames = ["tenant_id", "tenant_role", "custom:tenant_role", "platform_role"];

export function triggersHandler(deps: TriggersDependencies) {
  const { users, clock, log } = deps;

  return middy<TriggerEvent, TriggerEvent>()
    .handler(async (event) => {
      if (isSignUp(event)) return beforeSignUp(event, deps);
      if (event.triggerSource === "PostConfirmation_ConfirmSignUp") {
        await syncUserOnSignIn(users, personOf(event), clock());
        return event;
      }
      // A new password changes nothing here.
      if (event.triggerSource === "PostConfirmation_ConfirmForgotPassword") return event;
      if (isTokenGeneration(event)) return withClaims(event, await claimsFor(event, deps));
      throw new Error(`unknown trigger: ${(event as { triggerSource: string }).triggerSource}`);
    })
    .onError(({ event, error }) => {
      // Cognito shows the message to the person who signs in.
      if (error instanceof SignInRefused) throw error;
      log.problem("trigger", { trigger: event.triggerSource, sub: event.request?.userAttributes?.sub }, error);
      throw new Error("The platform cannot sign you in right now, try again");
    });
}

function isSignUp(event: TriggerEvent): event is PreSignUpTriggerEvent {
  return event.triggerSource.startsWith("PreSignUp_");
}

function isTokenGeneration(event: TriggerEvent): event is PreTokenGenerationV2TriggerEvent {
  return event.triggerSource.startsWith("TokenGeneration_");
}

function personOf({ request: { userAttributes } }: TriggerEvent): { sub: string; email: string } {
  const { sub, email } = userAttributes;
  if (sub && email) return { sub, email };
  throw new Error("the account has no sub or no e-mail address");
}

async function claimsFor(
  event: PreTokenGenerationV2TriggerEvent,
  { users, tenants, platformAdmins, clock }: TriggersDependencies,
): Promise<Record<string, string>> {
  const person = personOf(event);
  const record = await syncUserOnSignIn(users, person, clock());
  const workspace = await activeWorkspace(record, event.callerContext.clientId, tenants);
  const role = workspace?.membership.tenant_role;
  const verified = event.request.userAttributes.email_verified === "true";
  return {
    ...(workspace && role && { tenant_id: workspace.tenant.tenant_id, tenant_role: role, "custom:tenant_role": role }),
    ...(verified &&
      platformAdmins.some((admin) => sameAddress(admin, person.email)) && { platform_role: "platform_admin" }),
  };
}

function withClaims(
  event: PreTokenGenerationV2TriggerEvent,
  claims: Record<string, string>,
): PreTokenGenerationV2TriggerEvent {
  const generation = {
    claimsToAddOrOverride: claims,
    claimsToSuppress: claimNames.filter((name) => !(name in claims)),
  };
  const claimsAndScopeOverrideDetails = { idTokenGeneration: generation, accessTokenGeneration: generation };
  return { ...event, response: { claimsAndScopeOverrideDetails } };
}
