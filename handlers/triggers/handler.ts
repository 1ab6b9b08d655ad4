// The user pool's triggers: who may come in and as whom, the profile of a confirmed person, what every token says, and the words of mails.
import type {
  CustomMessageTriggerEvent,
  PostConfirmationTriggerEvent,
  PreSignUpTriggerEvent,
  PreTokenGenerationV2TriggerEvent,
} from "aws-lambda";
import { SignInRefused } from "../../domain/people/first-sign-in.ts";
import { customMessage } from "./custom-message.ts";
import type { TriggersDependencies } from "./dependencies.ts";
import { beforeSignUp } from "./pre-sign-up.ts";
import { afterReset } from "./reset.ts";
import { beforeToken, comeIn, personOf } from "./token.ts";

export type TriggerEvent =
  | PreSignUpTriggerEvent
  | PostConfirmationTriggerEvent
  | PreTokenGenerationV2TriggerEvent
  | CustomMessageTriggerEvent;

export function triggersHandler(deps: TriggersDependencies) {
  const { log } = deps;

  return async (event: TriggerEvent): Promise<TriggerEvent> => {
    try {
      return await answer(event);
    } catch (error) {
      // Cognito shows the message to the person who signs in.
      if (error instanceof SignInRefused) {
        // The refusal is logged, as it may be an attempt to get into somebody else's account.
        log.info("A sign-in was refused", {
          trigger: event.triggerSource,
          username: event.userName,
          reason: error.message,
        });
        throw error;
      }
      log.problem("trigger", { trigger: event.triggerSource, sub: event.request?.userAttributes?.sub }, error);
      throw new Error("The platform cannot sign you in right now, try again");
    }
  };

  async function answer(event: TriggerEvent): Promise<TriggerEvent> {
    if (isSignUp(event)) return beforeSignUp(event, deps);
    if (event.triggerSource === "PostConfirmation_ConfirmSignUp") {
      await comeIn(personOf(event, deps), deps);
      return event;
    }
    if (event.triggerSource === "PostConfirmation_ConfirmForgotPassword") return afterReset(event, deps);
    if (isTokenGeneration(event)) return beforeToken(event, deps);
    if (isMessage(event)) return customMessage(event, deps);
    throw new Error(`unknown trigger: ${(event as { triggerSource: string }).triggerSource}`);
  }
}

function isSignUp(event: TriggerEvent): event is PreSignUpTriggerEvent {
  return event.triggerSource.startsWith("PreSignUp_");
}

function isTokenGeneration(event: TriggerEvent): event is PreTokenGenerationV2TriggerEvent {
  return event.triggerSource.startsWith("TokenGeneration_");
}

function isMessage(event: TriggerEvent): event is CustomMessageTriggerEvent {
  return event.triggerSource.startsWith("CustomMessage_");
}
