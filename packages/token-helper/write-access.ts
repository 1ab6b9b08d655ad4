// What changes something at the platform needs a sign-in of its own: the token that assistants are given only calls models and reads.
import { Failure } from "../command-line/failure.ts";
import { hasDisplay } from "../command-line/machine/browser.ts";
import { inOwnWorkspace } from "../sign-in/own-workspace.ts";
import { claimsOf } from "../sign-in/platform/claims.ts";
import { appOf } from "../sign-in/platform/discovery.ts";
import { refreshing, revoked, type Tokens } from "../sign-in/platform/oauth.ts";
import { Platform } from "../sign-in/platform/platform.ts";
import { accessToken, describe, type Session } from "../sign-in/session.ts";
import { signIn } from "../sign-in/sign-in.ts";

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
  const description = describe(session);
  const app = appOf(description.discovery, "token_helper_write");
  const helper = claimsOf(await accessToken(session));
  machine.say(`archway: ${why} needs you to sign in once more`);
  const tokens = await signIn(machine, app, { browser: hasDisplay(machine), asksAgain: true });
  const { refreshToken = "" } = tokens;
  let latest = refreshToken;
  const next = refreshing(app, refreshToken, async (token) => {
    latest = token;
  });
  try {
    if (claimsOf(tokens.accessToken)?.sub !== helper?.sub)
      throw new Failure("failed", "somebody else signed in: nothing was changed");
    const own = await inOwnWorkspace<Tokens>(
      machine.program,
      { ...description, tenant_id: helper?.tenant_id },
      tokens,
      next,
    );
    if (own.tenantId !== helper?.tenant_id)
      throw new Failure("failed", "you are in this profile's workspace no more: nothing was changed");
    return await work(new Platform(description, own.tokens.accessToken, machine.program));
  } finally {
    await revoked(app, latest).catch(() => undefined);
  }
}
