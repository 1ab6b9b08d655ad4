// Who calls: a token that the platform takes, and what it says of its person.
import { claimsOf } from "./claims.ts";
import { exitCodes, Failure } from "./failure.ts";
import { type Me, Platform } from "./platform.ts";
import { accessToken, describe, type Session } from "./session.ts";

export type Caller = { platform: Platform; me: Me };

/**
 * Replaces a token that the platform refuses although its time is not over, or that is of another workspace than the person's active
 * one. Once: what another token does not cure is the platform's to say.
 * @throws Failure.
 */
export async function callerOf(session: Session): Promise<Caller> {
  const token = await accessToken(session);
  const first = await ask(session, token).catch((error) => {
    if (error instanceof Failure && error.exitCode === exitCodes.signInNeeded) return undefined;
    throw error;
  });
  const claims = claimsOf(token);
  if (first && (!claims || claims.tenant_id === first.me.tenant_id)) return first;
  return ask(session, await accessToken(session, { refused: token }));
}

async function ask(session: Session, token: string): Promise<Caller> {
  const platform = new Platform(describe(session), token);
  return { platform, me: await platform.me() };
}
