// The cookie by which a browser is known again between the consent page and the end of a sign-in. All tabs share it, so that none voids another's.
import { createHash } from "node:crypto";
import { patienceMs } from "../../domain/connectors/authorization.ts";

/** A host of the same site cannot set a cookie with this prefix (draft-ietf-httpbis-rfc6265bis, `__Host-`). */
const name = "__Host-archway_browser";
const lifetimeSeconds = (2 * patienceMs) / 1_000;

/** The value that the browser has, if it is one of ours by its form. */
export function browserOf(cookies: readonly string[]): string | undefined {
  const found = cookies.find((cookie) => cookie.startsWith(`${name}=`))?.slice(name.length + 1);
  return found !== undefined && /^[\w-]{43}$/.test(found) ? found : undefined;
}

/** The hash of a browser's value, which what is sealed for the browser holds. */
export function browserHash(browser: string): string {
  return createHash("sha256").update(browser).digest("base64url");
}

export function browserCookie(browser: string): string {
  return `${name}=${browser}; Path=/; Max-Age=${lifetimeSeconds}; Secure; HttpOnly; SameSite=Lax`;
}
