// What changes something at the platform needs a sign-in of its own: the token that assistants are given only calls models and reads.
import { Failure } from "./failure.ts";
import { hasDisplay } from "./machine/browser.ts";
import { inOwnWorkspace } from "./own-workspace.ts";
import { claimsOf } from "./platform/claims.ts";
import { refreshing, revoked, type Tokens } from "./platform/oauth.ts";
import { Platform } from "./platform/platform.ts";
import type { Description } from "./profile.ts";
import { accessToken, describe, type Session } from "./session.ts";
import { signIn } from "./sign-in.ts";

/**
 * Does the work with a token of the same person's in the profile's workspace, and ends that sign-in.
 * @param why what needs it, for the person
 * @throws Failure.
 */
export async function withWriteAccess<T>(
  session: Session,
  why: string,
  work: (platform: Platform) => Promise<T>,
): Promise<T> {
  const { machine } = session;
  const description = forWriting(describe(session));
  const { discovery } = description;
  const helper = claimsOf(await accessToken(session));
  machine.say(`archway: ${why} needs you to sign in once more`);
  const tokens = await signIn(machine, discovery, { browser: hasDisplay(machine), asksAgain: true });
  const { refreshToken = "" } = tokens;
  let latest = refreshToken;
  const next = refreshing(discovery, refreshToken, async (token) => {
    latest = token;
  });
  try {
    if (claimsOf(tokens.accessToken)?.sub !== helper?.sub)
      throw new Failure("failed", "somebody else signed in: nothing was changed");
    const own = await inOwnWorkspace<Tokens>({ ...description, tenant_id: helper?.tenant_id }, tokens, next);
    if (own.tenantId !== helper?.tenant_id)
      throw new Failure("failed", "you are in this profile's workspace no more: nothing was changed");
    return await work(new Platform(description, own.tokens.accessToken));
  } finally {
    await revoked(discovery, latest).catch(() => undefined);
  }
}

/** @throws Failure where the sign-in is of a version that did not tell such clients apart. */
function forWriting(description: Description): Description {
  const { discovery } = description;
  const { clients } = discovery;
  const { token_helper_write: token_helper } = clients;
  if (!token_helper) throw new Failure("signInNeeded", "your sign-in is of an earlier version: archway login");
  return { ...description, discovery: { ...discovery, clients: { ...clients, token_helper } } };
}
