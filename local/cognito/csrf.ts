// A form counts only if it comes from a page of ours: its hidden value must equal the browser's cookie.
import { randomBytes, timingSafeEqual } from "node:crypto";
import { cookie, type Exchange } from "./http.ts";

const cookieName = "XSRF-TOKEN";
const pattern = /^[\w-]{43}$/;

/** The value for the page's forms, and the cookie to set if the browser has none. */
export function csrfFor(exchange: Exchange): { csrf: string; cookies: string[] } {
  const known = exchange.cookies[cookieName];
  if (known && pattern.test(known)) return { csrf: known, cookies: [] };
  const csrf = randomBytes(32).toString("base64url");
  return { csrf, cookies: [cookie(exchange, cookieName, csrf, 86_400)] };
}

export function isOwnForm({ cookies, form }: Exchange): boolean {
  const expected = Buffer.from(cookies[cookieName] ?? "");
  const actual = Buffer.from(form.get("_csrf") ?? "");
  return expected.length > 0 && expected.length === actual.length && timingSafeEqual(expected, actual);
}
