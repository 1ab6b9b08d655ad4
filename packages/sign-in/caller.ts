// Who calls: a token that the platform takes, and what it says of its person.
import { exitCodes, Failure } from "../command-line/failure.ts";
import { type Me, Platform } from "./platform/platform.ts";
import { accessToken, describe, type Session } from "./session.ts";

export type Caller = { platform: Platform; me: Me };

/**
 * Replaces a token that the platform refuses although its time is not over, or that names no workspace or another one than the next
 * token would. Once: what another token does not cure is the platform's to say.
 * @param silent whether nobody is to be asked to sign in
 * @throws Failure.
 */
export async function callerOf(session: Session, { silent = false } = {}): Promise<Caller> {
  const token = await accessToken(session, { silent });
  const first = await ask(session, token).catch((error) => {
    if (error instanceof Failure && error.exitCode === exitCodes.signInNeeded) return undefined;
    throw error;
  });
  if (first?.me.tenant_id !== undefined && first.me.tenant_id === first.me.next_tenant_id) return first;
  return ask(session, await accessToken(session, { refused: token, silent }));
}

async function ask(session: Session, token: string): Promise<Caller> {
  const platform = new Platform(describe(session), token, session.machine.program);
  return { platform, me: await platform.me() };
}
