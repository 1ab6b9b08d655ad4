// The trigger before the user pool mails a code or an invitation: it gives the mail its words. Cognito sends them as HTML, and fills the placeholders in.
import type { CustomMessageTriggerEvent } from "aws-lambda";
import { addressCode } from "../../domain/mails/address-code.ts";
import { invitation } from "../../domain/mails/invitation.ts";
import { passwordCode } from "../../domain/mails/password-code.ts";
import { signUpCode } from "../../domain/mails/sign-up-code.ts";
import { htmlOf, type Words } from "../../domain/mails/words.ts";
import { signUpHours } from "../../domain/people/expired-sign-ups.ts";
import { invitationDays } from "../../domain/people/invitation-mail.ts";
import { otherAccounts } from "../../domain/people/user.ts";
import type { TriggersDependencies } from "./dependencies.ts";

type Dependencies = Pick<TriggersDependencies, "users" | "platform" | "identityProviders" | "log">;

/** Words a mail of the user pool. It never fails: without an answer there is no mail, and without a code nobody gets in. */
export async function customMessage(
  event: CustomMessageTriggerEvent,
  deps: Dependencies,
): Promise<CustomMessageTriggerEvent> {
  const words = await wordsOf(event, deps);
  if (!words) return event;
  const emailMessage = htmlOf(words, deps.platform);
  return { ...event, response: { ...event.response, emailSubject: words.subject, emailMessage } };
}

/** Undefined for a message that this pool does not send, which keeps Cognito's words. */
async function wordsOf(
  { triggerSource, request }: CustomMessageTriggerEvent,
  deps: Dependencies,
): Promise<Words | undefined> {
  const { platform, identityProviders: providers } = deps;
  const { codeParameter: code, usernameParameter: username, clientMetadata = {} } = request;
  switch (triggerSource) {
    case "CustomMessage_SignUp":
    case "CustomMessage_ResendCode":
      return signUpCode({ code, hours: signUpHours, others: await othersOf(request, deps) }, platform);
    case "CustomMessage_ForgotPassword":
      return passwordCode({ code }, platform);
    case "CustomMessage_UpdateUserAttribute":
    case "CustomMessage_VerifyUserAttribute":
      return addressCode({ code }, platform);
    case "CustomMessage_AdminCreateUser": {
      const { workspace_name: name, workspace_slug: slug, inviter } = clientMetadata;
      const workspace = name === undefined || slug === undefined ? undefined : { name, slug };
      const account = { username: username ?? "", password: code, days: invitationDays };
      return invitation({ workspace, inviter, ...account, providers }, platform);
    }
    default:
      return undefined;
  }
}

/** Providers that sign in to accounts with the address of the sign-up. If the store does not answer, the mail does not tell of them. */
async function othersOf(
  { userAttributes: { sub = "", email } }: CustomMessageTriggerEvent["request"],
  { users, log }: Dependencies,
): Promise<string[]> {
  if (!email) return [];
  try {
    return (await otherAccounts(users, { sub, email })).map(({ provider }) => provider);
  } catch (error) {
    log.problem("A code is mailed without a word of other accounts", { sub }, error);
    return [];
  }
}
