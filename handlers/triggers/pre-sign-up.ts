// The trigger before a new account is written: a person from an external provider joins the account that holds their address.
import type { PreSignUpTriggerEvent } from "aws-lambda";
import { type ExternalIdentity, joinAccount, subjectAttribute } from "../../domain/people/first-sign-in.ts";
import type { TriggersDependencies } from "./dependencies.ts";

type Dependencies = Pick<TriggersDependencies, "accounts" | "identityProviders" | "log">;

/**
 * A sign-up with a password and an invitation pass: Cognito itself lets one account hold an address.
 * @throws SignInRefused
 */
export async function beforeSignUp(event: PreSignUpTriggerEvent, deps: Dependencies): Promise<PreSignUpTriggerEvent> {
  if (event.triggerSource !== "PreSignUp_ExternalProvider") return event;
  const { email, email_verified } = event.request.userAttributes;
  const identity = identityOf(event, deps.identityProviders);
  const account = await joinAccount(deps.accounts(event.userPoolId), {
    identity,
    email,
    // Cognito says `false` too if the provider does not say (repost.aws/knowledge-center/cognito-email-verified-attribute).
    isVouchedFor: email_verified === "true",
  });
  if (account) deps.log.info("An identity was linked", { provider: identity.provider, account: account.username });
  return event;
}

/**
 * A federated username is the provider's name and the subject, with `_` between. In a pool that does not tell the case apart both
 * are in lower case (github.com/aws-amplify/amplify-js/issues/13844), but a link needs them as they are: "Invalid
 * ProviderName/Username combination" at every sign-in otherwise (stackoverflow.com/questions/68017906).
 */
function identityOf({ userName, request }: PreSignUpTriggerEvent, providers: readonly string[]): ExternalIdentity {
  const provider = providers.find((name) => userName.toLowerCase().startsWith(`${name.toLowerCase()}_`));
  if (!provider) throw new Error("the username names no provider of the stack");
  const lowered = userName.slice(provider.length + 1);
  const mapped = request.userAttributes[`custom:${subjectAttribute}`];
  if (mapped === undefined && /\p{L}/u.test(lowered)) throw new Error(`${provider} maps no subject`);
  const subject = mapped ?? lowered;
  if (subject.toLowerCase() !== lowered.toLowerCase())
    throw new Error("the username has another subject than was mapped");
  return { provider, subject };
}
