// What a profile is signed in with: a token that lasts long enough, got in the cheapest way that works.
import { type Access, defaultMinTtlSeconds, isFresh } from "./access-cache.ts";
import { Credentials, type Store } from "./credentials.ts";
import { discover } from "./discovery.ts";
import { exitCodes, Failure } from "./failure.ts";
import { safeUrl } from "./http.ts";
import { keychainOf } from "./keychains.ts";
import { withLock } from "./lock.ts";
import type { Machine } from "./machine.ts";
import { refreshed, revoked, type Tokens } from "./oauth.ts";
import { type Description, Profile } from "./profile.ts";
import { requireDisplay, signIn, type Way } from "./sign-in.ts";

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
export function describe({ profile, machine: { env } }: Session): Description {
  const description = profile.read();
  const wanted = env.ARCHWAY_URL && safeUrl(env.ARCHWAY_URL);
  if (!description)
    throw new Failure("signInNeeded", `not signed in: archway login --url ${wanted || "https://api.<domain>"}`);
  if (!wanted || wanted === description.url) return description;
  throw new Failure(
    "usage",
    `profile ${profile.name} is of ${description.url}, not of ${wanted}: choose another one with --profile`,
  );
}

/** @throws Failure. */
export async function accessToken(session: Session, minTtlSeconds = defaultMinTtlSeconds): Promise<string> {
  const { machine, profile, credentials } = session;
  const found = () => {
    const access = credentials.access();
    return access && profile.read()?.url === access.url && isFresh(access, machine.now(), minTtlSeconds)
      ? access
      : undefined;
  };
  if (profile.read()) describe(session);
  const lock = { hostname: machine.hostname, found };
  const access =
    found() ?? (await withLock(profile.file("lock"), lock, async () => found() ?? renew(session, minTtlSeconds)));
  return access.access_token;
}

/** Refreshes, and signs in where that is not possible. */
async function renew(session: Session, minTtlSeconds: number): Promise<Access> {
  const { machine, profile, credentials } = session;
  const description = profile.read();
  const refreshToken = description && (await credentials.refreshToken(description.store));
  if (!description || !refreshToken) return signInNow(session);
  const kept = await credentials.accessInKeychain(description.store);
  if (kept && kept.url === description.url && isFresh(kept, machine.now(), minTtlSeconds)) return kept;
  try {
    const tokens = await refreshed(description.discovery, refreshToken);
    const access = accessOf(description, tokens, machine.now());
    // The token is good for now, and whoever asked for it shall have it.
    await keep(credentials, description.store, tokens, access).catch(({ message }) =>
      machine.say(`archway: ${message}`),
    );
    return access;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const current = credentials.access();
    if (error.exitCode === exitCodes.signInNeeded) {
      await credentials.wipe().catch(() => undefined);
      return signInNow(session, error);
    }
    const good =
      current?.url === description.url &&
      isFresh(current, machine.now(), 0) &&
      current.expires_at - machine.now() > leastMs;
    if (good) return current;
    throw error;
  }
}

/** @param ended why the last sign-in is over. */
async function signInNow(session: Session, ended?: Failure): Promise<Access> {
  const { machine, profile } = session;
  const url = profile.read()?.url ?? machine.env.ARCHWAY_URL;
  if (!url) describe(session);
  try {
    requireDisplay(machine);
  } catch (error) {
    throw ended
      ? new Failure(
          "signInNeeded",
          "your sign-in has ended: archway login, or archway login --no-browser without a display",
        )
      : error;
  }
  return signInAt(session, String(url), { browser: true });
}

/** Signs a person in at a platform, and keeps what they got. Files are replaced as a whole, so the last of two sign-ins stays. */
export async function signInAt(session: Session, platformUrl: string, way: Way): Promise<Access> {
  const { machine, profile, credentials } = session;
  const url = safeUrl(platformUrl);
  profile.checkWritable();
  const { discovery } = await discover(url, machine.now());
  const store = await credentials.chooseStore();
  const tokens = await signIn(machine, discovery, way);
  if (!tokens.refreshToken) throw new Failure("failed", "the platform gives no refresh token to the token helper");
  // The other store may hold what an earlier sign-in left.
  await credentials.wipe();
  const description = { url, discovery, store, ...(tokens.email !== undefined && { email: tokens.email }) };
  const access = accessOf(description, tokens, machine.now());
  profile.write(description);
  await keep(credentials, store, tokens, access);
  return access;
}

function accessOf({ url }: Description, { accessToken: access_token, expiresIn }: Tokens, now: number): Access {
  return { url, access_token, obtained_at: now, expires_at: now + expiresIn * 1000 };
}

/** The refresh token first: with rotation the old one is worthless by now. @throws Error if they cannot be kept. */
async function keep(credentials: Credentials, store: Store, { refreshToken }: Tokens, access: Access): Promise<void> {
  if (refreshToken !== undefined) await credentials.writeRefreshToken(store, refreshToken);
  await credentials.writeAccess(store, access);
}

/** Ends the sign-in at the platform and here. Gives why the platform could not be told, if so. */
export async function signOut({ machine, profile, credentials }: Session): Promise<Failure | undefined> {
  const lock = { hostname: machine.hostname, found: () => undefined };
  return withLock(profile.file("lock"), lock, async () => {
    const description = profile.read();
    const refreshToken = description && (await credentials.refreshToken(description.store));
    const problem = refreshToken && (await attempt(() => revoked(description.discovery, refreshToken)));
    await credentials.wipe();
    profile.remove();
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
