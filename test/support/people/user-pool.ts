// Reads the user pool of a running stack.
import type { Person, Stack } from "../../../local/running-stack.ts";

/** Whether it knows the address, so that nobody can be invited by it. */
export async function isKnown(stack: Stack, { email }: Pick<Person, "email">): Promise<boolean> {
  return stack.cognito.subOf(email) !== undefined;
}
