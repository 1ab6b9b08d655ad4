// The person whom a trigger's event concerns.
import type { PostConfirmationTriggerEvent, PreTokenGenerationV2TriggerEvent } from "aws-lambda";

type PersonEvent = PostConfirmationTriggerEvent | PreTokenGenerationV2TriggerEvent;

/** @throws Error for an account without an address, which this pool does not have. */
export function personOf({ request: { userAttributes } }: PersonEvent): { sub: string; email: string } {
  const { sub, email } = userAttributes;
  if (sub && email) return { sub, email };
  throw new Error("the account has no sub or no e-mail address");
}
