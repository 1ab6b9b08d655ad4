// The context that the handlers of pages and endpoints get, and the links and cookies that depend on the host's address.
import type { Context } from "hono";
import type { CookieOptions } from "hono/utils/cookie";
import type { Pool } from "../pool.ts";

export type PoolEnv = {
  Bindings: {
    /** The sign-in host's address for browsers, without a slash at its end, e.g. `http://127.0.0.1:8787/@auth`. */
    baseUrl: string;
    /** The sign-in host's own name. */
    host: string;
  };
  Variables: {
    pool: Pool;
    /** Empty unless a form was posted. */
    form: URLSearchParams;
  };
};

export type PoolContext = Context<PoolEnv>;

/** The result of a handler. */
export type Answer = Response | Promise<Response>;

/** Cookies are sent to this host only and are not readable by scripts. */
export function cookieOptions({ env }: PoolContext): CookieOptions {
  const { pathname, protocol } = new URL(env.baseUrl);
  return { path: pathname, httpOnly: true, sameSite: "Lax", secure: protocol === "https:" };
}

/** A link from the current page to another path. It is relative, because the host may be reached under a prefix. */
export function linkTo({ req }: PoolContext, target: string, parameters?: URLSearchParams): string {
  const up = "../".repeat(req.path.split("/").length - 2);
  const query = parameters?.size ? `?${parameters}` : "";
  return `${up || "./"}${target.slice(1)}${query}`;
}
