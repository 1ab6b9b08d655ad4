// A profile keeps to its workspace. The platform remembers one choice for all of a person's helpers, so a token may name another one: the
// profile then makes its choice again.

import { Failure } from "./failure.ts";
import { claimsOf } from "./platform/claims.ts";
import { refreshed, type Tokens } from "./platform/oauth.ts";
import { Platform } from "./platform/platform.ts";
import type { Description } from "./profile.ts";

/** Another profile of the same person may choose its own workspace between this one's choice and its refresh. */
const maxAttempts = 3;

/** @property tenantId the profile's workspace from now on */
export type Settled = { tokens: Tokens; tenantId: string | undefined };

/**
 * @param refreshToken what the first tokens were got with, for a platform that gives no new one with them
 * @param keep keeps a new refresh token before it is used: the one before ends within a minute
 * @returns tokens that name the profile's workspace; of a profile that has none, or is in it no more, those that there are. Their refresh
 * token is the latest one, missing if the platform gave no new one.
 * @throws Failure.
 */
export async function inOwnWorkspace(
  description: Description,
  first: Tokens,
  refreshToken: string,
  keep: (refreshToken: string) => Promise<void> = async () => {},
): Promise<Settled> {
  const { tenant_id: wanted, discovery } = description;
  let tokens = first;
  for (let attempt = 1; attempt <= maxAttempts; attempt += 1) {
    const named = claimsOf(tokens.accessToken)?.tenant_id;
    if (wanted === undefined || named === wanted) return { tokens, tenantId: named };
    if (!(await new Platform(description, tokens.accessToken).activate(wanted))) return { tokens, tenantId: named };
    const latest = tokens.refreshToken;
    if (latest) await keep(latest);
    const next = await refreshed(discovery, latest ?? refreshToken);
    tokens = { ...next, refreshToken: next.refreshToken ?? latest };
  }
  throw new Failure("unreachable", "another of your sign-ins changes its workspace right now: try again");
}
