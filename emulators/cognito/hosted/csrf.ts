// Protects forms against other sites: a form counts only if its hidden value equals the browser's cookie.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { getCookie, setCookie } from "hono/cookie";
import { cookieOptions, type PoolContext } from "./context.ts";

/** The name of Cognito's own cookie. */
const cookieName = "XSRF-TOKEN";
const pattern = /^[\w-]{43}$/;

/** Gives the value for a page's form, and sets the cookie if the browser has none. */
export function csrfToken(context: PoolContext): string {
  const known = getCookie(context, cookieName);
  if (known && pattern.test(known)) return known;
  const token = randomBytes(32).toString("base64url");
  setCookie(context, cookieName, token, { ...cookieOptions(context), maxAge: 86_400 });
  return token;
}

export function isOwnForm(context: PoolContext): boolean {
  const expected = Buffer.from(getCookie(context, cookieName) ?? "");
  const actual = Buffer.from(context.var.form.get("_csrf") ?? "");
  return expected.length > 0 && expected.length === actual.length && timingSafeEqual(expected, actual);
}
