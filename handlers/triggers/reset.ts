// The trigger after a forgotten password was replaced: whoever knew the old one is signed out.
import type { PostConfirmationTriggerEvent } from "aws-lambda";
import type { TriggersDependencies } from "./dependencies.ts";

type Dependencies = Pick<TriggersDependencies, "accounts" | "signOuts" | "clock" | "log">;

/**
 * The password is changed already, whatever happens here. If the pool does not end the sign-ins, their refresh tokens go on giving
 * tokens, and the time that is noted lets nobody accept these.
 */
export async function afterReset(
  event: PostConfirmationTriggerEvent,
  { accounts, signOuts, clock, log }: Dependencies,
): Promise<PostConfirmationTriggerEvent> {
  const { sub } = event.request.userAttributes;
  if (!sub) throw new Error("the account has no sub");
  await signOuts.put(sub, clock());
  await accounts(event.userPoolId)
    .endSignIns(sub)
    .catch((error) => log.problem("The pool did not end the sign-ins after a reset", { sub }, error));
  return event;
}
