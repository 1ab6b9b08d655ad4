// The access token in a file that only its owner can read. Nothing else is loaded to answer from it, so keep it small.
import { closeSync, openSync, readSync } from "node:fs";
import { join } from "node:path";

/** The access token, and when it was got and ends by this machine's own clock, in milliseconds since the epoch. */
export type Access = { url: string; access_token: string; obtained_at: number; expires_at: number };

/** A client may keep a token for five minutes (Claude Code's key helper) and a call begins a little later. */
export const defaultMinTtlSeconds = 360;

const maxBytes = 64 * 1024;
/** An access token of Cognito lasts a day at most (AccessTokenValidity of its CreateUserPoolClient). What says more is damaged. */
const longestLifeMs = 86_400_000;
/** A token may seem to come from the future by this much, since the machine's clock may have been set back since. */
const clockStepMs = 60_000;

export function accessFile(folder: string): string {
  return join(folder, "access.json");
}

/** The cached token; undefined if there is no file, or it is damaged. */
export function readAccess(folder: string): Access | undefined {
  try {
    return parseAccess(readBounded(accessFile(folder)));
  } catch {
    return undefined;
  }
}

/** The cached token of a file's text; undefined if the text is none. */
export function parseAccess(text: string): Access | undefined {
  try {
    const read = JSON.parse(text) as Partial<Access> | null;
    const { url, access_token, obtained_at, expires_at } = read ?? {};
    if (typeof url !== "string" || typeof obtained_at !== "number" || typeof expires_at !== "number") return undefined;
    return isToken(access_token) ? { url, access_token, obtained_at, expires_at } : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a key helper may print this: clients take printable ASCII of at most 16,384 characters. */
export function isToken(value: unknown): value is string {
  return typeof value === "string" && value.length <= 16_384 && /^[\x21-\x7e]+$/.test(value);
}

/**
 * Whether the token lasts long enough to be given out. One of short life is good for the first half of it. A clock that was put
 * back since makes it doubtful, whatever it says.
 */
export function isFresh({ obtained_at, expires_at }: Access, now: number, minTtlSeconds: number): boolean {
  const life = expires_at - obtained_at;
  const needed = Math.min(minTtlSeconds * 1000, life / 2);
  return life <= longestLifeMs && now >= obtained_at - clockStepMs && expires_at - now > needed;
}

/** @throws Error for a file that is larger than any of ours. */
export function readBounded(file: string): string {
  const descriptor = openSync(file, "r");
  try {
    const bytes = Buffer.alloc(maxBytes + 1);
    const length = readSync(descriptor, bytes, 0, bytes.length, 0);
    if (length > maxBytes) throw new Error(`${file} has more than ${maxBytes} bytes`);
    return bytes.toString("utf8", 0, length);
  } finally {
    closeSync(descriptor);
  }
}
