// What the user pool of a running stack knows.
import type { Person, Stack } from "../../../local/running-stack.ts";

/** Whether it knows the address, so that nobody can be invited by it. */
export async function isKnown(stack: Stack, { email }: Pick<Person, "email">): Promise<boolean> {
  const answer = await stack.cognito.handle("ListUsers", {
    method: "POST",
    path: "/",
    query: new URLSearchParams(),
    headers: {},
    body: Buffer.from(JSON.stringify({ UserPoolId: stack.program.exports.userPoolId, Filter: `email = "${email}"` })),
    region: stack.program.region,
    principal: undefined,
  });
  return JSON.parse(String(answer.body)).Users.length > 0;
}
