// The paths of the sign-in host and of the pool's public documents.
import { authorize, logout } from "./authorize.ts";
import { type Answer, type Exchange, text } from "./http.ts";
import { login, newPassword, showLogin } from "./login-page.ts";
import type { Pool } from "./pool.ts";
import { showProvider, takeProviderResponse } from "./provider-page.ts";
import {
  showConfirmForgotPassword,
  showConfirmUser,
  showForgotPassword,
  showSignUp,
  submitConfirmForgotPassword,
  submitConfirmUser,
  submitForgotPassword,
  submitSignUp,
} from "./sign-up-pages.ts";
import { token } from "./token-endpoint.ts";
import { jwks, openidConfiguration, revoke, userInfo } from "./token-uses.ts";

type Endpoint = (pool: Pool, exchange: Exchange) => Answer | Promise<Answer>;

type Route = {
  GET?: Endpoint;
  POST?: Endpoint;
  /** Pages of other origins may call it, as Cognito lets them. */
  anyOrigin?: true;
};

const routes: Record<string, Route> = {
  "/oauth2/authorize": { GET: authorize },
  "/oauth2/token": { POST: token, anyOrigin: true },
  "/oauth2/revoke": { POST: revoke, anyOrigin: true },
  "/oauth2/userInfo": { GET: userInfo, POST: userInfo, anyOrigin: true },
  "/oauth2/userinfo": { GET: userInfo, POST: userInfo, anyOrigin: true },
  "/oauth2/idpresponse": { POST: takeProviderResponse },
  "/simulated-provider": { GET: showProvider },
  "/login": { GET: showLogin, POST: login },
  "/newPassword": { POST: newPassword },
  "/signup": { GET: showSignUp, POST: submitSignUp },
  "/confirmUser": { GET: showConfirmUser, POST: submitConfirmUser },
  "/forgotPassword": { GET: showForgotPassword, POST: submitForgotPassword },
  "/confirmForgotPassword": { GET: showConfirmForgotPassword, POST: submitConfirmForgotPassword },
  "/logout": { GET: logout },
};

const publicDocuments: Record<string, Route> = {
  "/.well-known/jwks.json": { GET: jwks, anyOrigin: true },
  "/.well-known/openid-configuration": { GET: openidConfiguration, anyOrigin: true },
};

/** Finds the endpoint and asks it: 404 for an unknown path, 405 for a method that it does not have. */
export async function answer(pool: Pool, exchange: Exchange): Promise<Answer> {
  const route = findRoute(pool, exchange.path);
  if (!route) return text(404, "There is no such page.");
  const endpoint = exchange.method === "GET" || exchange.method === "POST" ? route[exchange.method] : undefined;
  if (endpoint) return endpoint(pool, exchange);
  const methods = (["GET", "POST"] as const).filter((method) => route[method]).join(", ");
  if (exchange.method !== "OPTIONS" || !route.anyOrigin) return text(405, `Use ${methods}.`, { allow: methods });
  const allowed = {
    "access-control-allow-methods": methods,
    "access-control-allow-headers": "authorization, content-type",
  };
  return { status: 204, headers: allowed };
}

/** What every answer of this path carries. */
export function sharedHeaders(pool: Pool, path: string): Record<string, string> {
  return findRoute(pool, path)?.anyOrigin ? { "access-control-allow-origin": "*" } : {};
}

function findRoute({ id }: Pool, path: string): Route | undefined {
  const [table, name] = path.startsWith(`/${id}/`) ? [publicDocuments, path.slice(id.length + 1)] : [routes, path];
  return Object.hasOwn(table, name) ? table[name] : undefined;
}
