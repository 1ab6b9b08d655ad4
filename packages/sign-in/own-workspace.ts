// A profile keeps to its workspace. The platform remembers one choice for all of a person's helpers, so a token may name another one: the
// profile then makes its choice again.

import { Failure } from "../command-line/failure.ts";
import type { Program } from "../command-line/home.ts";
import { claimsOf } from "./platform/claims.ts";
import type { Tokens } from "./platform/oauth.ts";
import { Platform } from "./platform/platform.ts";
import type { Description } from "./profile.ts";

/** Another profile of the same person may choose its own workspace between this one's choice and its refresh. */
const maxChoices = 3;

/** @property tenantId the workspace that the tokens name */
export type Settled<T> = { tokens: T; tenantId: string | undefined };

/**
 * @param next gives the next tokens of the same sign-in
 * @returns tokens that name the profile's workspace; of a profile that has none, or whose person is in it no more, those that there are
 * @throws Failure.
 */
export async function inOwnWorkspace<T extends Tokens>(
  program: Program,
  description: Description,
  first: T,
  next: () => Promise<T>,
): Promise<Settled<T>> {
  const { tenant_id: wanted } = description;
  let tokens = first;
  for (let choices = 0; ; choices += 1) {
    const tenantId = claimsOf(tokens.accessToken)?.tenant_id;
    if (wanted === undefined || tenantId === wanted) return { tokens, tenantId };
    if (choices === maxChoices)
      throw new Failure("unreachable", "another of your sign-ins changes its workspace right now: try again");
    if (!(await new Platform(description, tokens.accessToken, program).activate(wanted))) return { tokens, tenantId };
    tokens = await next();
  }
}
