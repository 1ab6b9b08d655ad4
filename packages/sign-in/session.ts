// A profile's session: gives a token that lasts long enough, in the cheapest way that works.

import { exitCodes, Failure, oneLine } from "../command-line/failure.ts";
import { hasDisplay } from "../command-line/machine/browser.ts";
import type { Machine } from "../command-line/machine/machine.ts";
import { type Access, defaultMinTtlSeconds, isFresh } from "./access-cache.ts";
import { Credentials, type Store } from "./credentials.ts";
import { isRefused, note, removeOldNotes } from "./given.ts";
import { keychainOf } from "./keychain/own-keychain.ts";
import { withLock } from "./lock.ts";
import { inOwnWorkspace } from "./own-workspace.ts";
import { claimsOf } from "./platform/claims.ts";
import { appOf, discover } from "./platform/discovery.ts";
import { safeUrl } from "./platform/http.ts";
import { refreshing, revoked, type Tokens } from "./platform/oauth.ts";
import { type Description, Profile } from "./profile.ts";
import { signIn, type Way } from "./sign-in.ts";

/** Shorter than that a token is not worth giving out when it cannot be refreshed right now. */
const leastMs = 30_000;

export type Session = { profile: Profile; credentials: Credentials; machine: Machine };

export function openSession(machine: Machine, name?: string): Session {
  const profile = new Profile(machine, name);
  return { profile, machine, credentials: new Credentials(profile, keychainOf(machine, profile.folder)) };
}

/**
 * The profile's description.
 * @throws Failure signInNeeded before a sign-in, usage if the environment names another platform.
 */
export function describe({ profile, machine }: Session): Description {
  const description = profile.read();
  const { ARCHWAY_URL } = machine.env;
  const wanted = ARCHWAY_URL && safeUrl(ARCHWAY_URL);
  if (!description) throw notSignedIn(machine, wanted || profile.lastUrl() || "https://api.<domain>");
  if (!wanted || wanted === description.url) return description;
  throw new Failure(
    "usage",
    `profile ${profile.name} is of ${description.url}, not of ${wanted}: choose another one with --profile`,
  );
}

/** Conditions on a token, beside that it is of this profile's platform. */
type Wanted = {
  minTtlSeconds?: number | undefined;
  /** The client that asks. One that asks again while it would keep a good token was refused with the token that it has. */
  client?: string | undefined;
  /** A token that the platform has refused. */
  refused?: string | undefined;
  /** Whether the token must be a new one, whatever the cache holds. */
  fresh?: boolean | undefined;
  /** Whether nobody is to be asked to sign in. */
  silent?: boolean | undefined;
};

/** @throws Failure. */
export async function accessToken(session: Session, wanted: Wanted = {}): Promise<string> {
  const { machine, profile, credentials } = session;
  const given = { folder: profile.folder, client: wanted.client };
  const begun = machine.now();
  const suits = (access: Access) =>
    (!wanted.fresh || access.obtained_at >= begun) &&
    isFresh(access, machine.now(), wanted.minTtlSeconds ?? defaultMinTtlSeconds) &&
    access.access_token !== wanted.refused &&
    !isRefused(given, access, machine.now());
  const found = () => {
    const access = credentials.access();
    return access && profile.read()?.url === access.url && suits(access) ? access : undefined;
  };
  if (profile.read()) describe(session);
  const cached = credentials.access();
  const refused = cached !== undefined && isRefused(given, cached, machine.now());
  const access = found() ?? (await newAccess(session, suits, found, wanted.silent));
  note(given, access, machine.now(), refused);
  return access.access_token;
}

type Suits = (access: Access) => boolean;

/** @param found what another process has brought about meanwhile */
async function newAccess(
  session: Session,
  suits: Suits,
  found: () => Access | undefined,
  silent = false,
): Promise<Access> {
  try {
    return await alone(session, "lock", () => renew(session, suits), found);
  } catch (error) {
    if (silent || !(error instanceof Failure && error.exitCode === exitCodes.signInNeeded)) throw error;
    // Signing in has a lock of its own: a person takes minutes, and whoever only stores or reads tokens is not to wait for them.
    // A process that waited for another one's failed sign-in opens no second window.
    const once = (waited: boolean) => (waited ? Promise.reject(error) : signInNow(session, error));
    return await alone(session, "sign-in", once, found);
  }
}

const doing = { lock: "changes this sign-in", "sign-in": "has somebody sign in" };

/** Runs for one process of the profile at a time. A process that waited takes the result of the one before. */
function alone<T>(
  { machine, profile }: Session,
  name: "lock" | "sign-in",
  work: (waited: boolean) => Promise<T>,
  found: () => T | undefined = () => undefined,
): Promise<T> {
  const file = profile.file(name);
  const waits = ({ pid, hostname }: { pid: number; hostname: string }) =>
    machine.say(
      `${machine.program.name}: waiting for another ${machine.program.name} (process ${pid} on ${oneLine(hostname)}), which ${doing[name]}. If there is none, delete ${file}`,
    );
  const options = { hostname: machine.hostname, found, waits };
  return withLock(file, options, async (waited) => found() ?? work(waited));
}

/** @throws Failure signInNeeded where there is nothing to refresh with. */
async function renew(session: Session, suits: Suits): Promise<Access> {
  const { machine, credentials } = session;
  const description = describe(session);
  const refreshToken = await refreshTokenOf(session, description);
  const kept = await credentials.accessInKeychain(description.store);
  if (kept && kept.url === description.url && suits(kept)) return kept;
  try {
    return await refresh(session, description, refreshToken);
  } catch (error) {
    if (!(error instanceof Failure) || error.exitCode === exitCodes.signInNeeded) throw error;
    const current = credentials.access();
    const good =
      current?.url === description.url &&
      isFresh(current, machine.now(), 0) &&
      current.expires_at - machine.now() > leastMs;
    if (good) return current;
    throw error;
  }
}

/** @throws Failure signInNeeded where there is none. */
async function refreshTokenOf({ credentials, machine }: Session, { store, url }: Description): Promise<string> {
  const refreshToken = await credentials.refreshToken(store);
  if (refreshToken) return refreshToken;
  throw notSignedIn(machine, url, store === "keychain" ? `${credentials.describe(store)} gives no sign-in` : undefined);
}

/**
 * A new token of the description's workspace, or of the one that the platform names if the person is not in it. The profile is of the
 * token's workspace from now on.
 * @throws Failure; one that the sign-in has ended, after its tokens were removed.
 */
async function refresh(session: Session, description: Description, refreshToken: string): Promise<Access> {
  const { machine, credentials, profile } = session;
  // The token is good for now, and whoever asked for it shall have it, though nothing of it can be kept.
  const say = ({ message }: Error) => machine.say(`${machine.program.name}: ${message}`);
  let lost = false;
  const renewed = refreshing(appOf(description.discovery, machine.program.appClient), refreshToken, async (token) => {
    const problem = await attempt(() => credentials.writeRefreshToken(description.store, token));
    if (problem && !lost) say(notKept(problem));
    lost ||= problem !== undefined;
  });
  const next = () => renewed().catch((error) => ended(session, error));
  const { tokens, tenantId } = await inOwnWorkspace(machine.program, description, await next(), next);
  const access = accessOf(description, tokens, machine.now());
  removeOldNotes(profile.folder, machine.now());
  moveTo(session, description, tenantId);
  const uncached = await attempt(() => credentials.writeAccess(description.store, access));
  if (uncached && !lost) say(uncached);
  return access;
}

/** @throws Failure: the error itself or, for that of a sign-in that has ended, what to do, after its tokens were removed. */
async function ended({ credentials, machine }: Session, error: unknown): Promise<never> {
  if (!(error instanceof Failure && error.exitCode === exitCodes.signInNeeded)) throw error;
  await credentials.wipe().catch(() => undefined);
  throw new Failure(
    "signInNeeded",
    `your sign-in has ended: ${machine.program.name} login, or ${machine.program.name} login --no-browser without a display`,
  );
}

/** @param tenantId the workspace that the profile's tokens name from now on */
function moveTo({ profile, machine }: Session, description: Description, tenantId: string | undefined): void {
  const before = profile.read()?.tenant_id;
  if (tenantId === before) return;
  if (before && tenantId && tenantId !== description.tenant_id)
    machine.say(`${machine.program.name}: you are in this profile's workspace no more, and tokens are for another one`);
  try {
    profile.write({ ...description, tenant_id: tenantId });
  } catch {
    // The home folder is read-only, so the profile keeps the former workspace, and the next refresh tells of the new one again.
  }
}

/**
 * Lets the profile's tokens name another workspace from now on. Of two that do this at once the last one stays.
 * @throws Failure if the person is not in it; the profile stays where it was.
 */
export function useWorkspace(session: Session, tenantId: string): Promise<void> {
  return alone(session, "lock", async () => {
    const description = describe(session);
    const refreshToken = await refreshTokenOf(session, description);
    const { access_token } = await refresh(session, { ...description, tenant_id: tenantId }, refreshToken);
    if (claimsOf(access_token)?.tenant_id !== tenantId)
      throw new Failure("failed", "you are in that workspace no more");
  });
}

/** @param why what is said where no browser can be opened */
async function signInNow(session: Session, why: Failure): Promise<Access> {
  const { machine, profile } = session;
  const url = profile.read()?.url ?? machine.env.ARCHWAY_URL;
  if (!url || !hasDisplay(machine)) throw why;
  return signInAt(session, url, { browser: true });
}

/** Signs a person in at a platform, and keeps what they got. The last of two sign-ins stays. */
export async function signInAt(session: Session, platformUrl: string, way: Way): Promise<Access> {
  const { machine, profile, credentials } = session;
  const url = safeUrl(platformUrl);
  profile.checkWritable();
  const { discovery } = await discover(url, machine.now());
  const store = await credentials.chooseStore();
  const app = appOf(discovery, machine.program.appClient);
  const signedIn = await signIn(machine, app, way);
  const { email, refreshToken } = signedIn;
  if (!refreshToken) throw new Failure("failed", "the platform gives no refresh token to this program");
  const before = profile.read();
  const isSame = before?.url === url && before.email === email;
  const described = { url, discovery, store, ...(email !== undefined && { email }) };
  const wanted = { ...described, tenant_id: isSame ? before.tenant_id : undefined };
  const first = { ...signedIn, refreshToken };
  const { tokens, tenantId } = await inOwnWorkspace(machine.program, wanted, first, refreshing(app, refreshToken));
  const description = { ...described, ...(tenantId !== undefined && { tenant_id: tenantId }) };
  const access = accessOf(description, tokens, machine.now());
  return alone(session, "lock", async () => {
    // The other store may hold what an earlier sign-in left, and no token of one platform is to be sent to another.
    await credentials.wipe();
    profile.write(description);
    await keep(credentials, store, tokens.refreshToken, access);
    return access;
  });
}

function accessOf({ url }: Description, { accessToken: access_token, expiresIn }: Tokens, now: number): Access {
  return { url, access_token, obtained_at: now, expires_at: now + expiresIn * 1000 };
}

/**
 * The refresh token first: where the platform rotates them, the one before is worthless within a minute.
 * @throws Failure if one of them cannot be kept.
 */
async function keep(credentials: Credentials, store: Store, refreshToken: string, access: Access): Promise<void> {
  const lost = await attempt(() => credentials.writeRefreshToken(store, refreshToken));
  const uncached = await attempt(() => credentials.writeAccess(store, access));
  if (lost) throw notKept(lost);
  if (uncached) throw uncached;
}

function notKept({ message }: Error): Failure {
  return new Failure("failed", `your sign-in could not be kept, mend this and sign in again: ${message}`);
}

function notSignedIn({ program: { name } }: Machine, url: string, why = "not signed in"): Failure {
  return new Failure(
    "signInNeeded",
    `${why}: ${name} login --url ${url}, or ${name} login --no-browser --url ${url} without a display`,
  );
}

/** Ends the sign-in at the platform and here. Gives why the platform could not be told, if so. */
export async function signOut(session: Session): Promise<Failure | undefined> {
  const { profile, credentials, machine } = session;
  return alone(session, "lock", async () => {
    const description = profile.read();
    const refreshToken = description && (await credentials.refreshToken(description.store));
    const problem =
      refreshToken &&
      (await attempt(() => revoked(appOf(description.discovery, machine.program.appClient), refreshToken)));
    await credentials.wipe();
    profile.remove();
    if (description) profile.rememberUrl(description.url);
    return problem || undefined;
  });
}

async function attempt(work: () => Promise<void>): Promise<Failure | undefined> {
  try {
    await work();
    return undefined;
  } catch (error) {
    return error as Failure;
  }
}
