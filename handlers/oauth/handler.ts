// The authorization server of MCP clients, over the user pool: registration, consent, the way to the pool and back, tokens.
import type { APIGatewayProxyEventV2 } from "aws-lambda";
import { OAuthError, PageRefusal, PoolUnavailable, RedirectedError } from "../../domain/connectors/oauth-error.ts";
import { withParameters } from "../../domain/connectors/redirect-address.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { errorAnswer, redirect } from "./answers.ts";
import { authorize, callback, consent } from "./browser.ts";
import type { OAuthDependencies } from "./dependencies.ts";
import { register, revoke, token } from "./endpoints.ts";
import type { OAuthAnswer, OAuthRequest } from "./message.ts";
import { errorPage } from "./pages.ts";

type Event = Pick<APIGatewayProxyEventV2, "headers" | "cookies" | "body" | "isBase64Encoded" | "rawQueryString"> & {
  requestContext: { http: { method: string; path: string } };
};

type Endpoint = (deps: OAuthDependencies, request: OAuthRequest) => Promise<OAuthAnswer>;

/** Pages answer people, and the other endpoints answer programs. */
const endpoints: Record<string, { isPage?: true; methods: Record<string, Endpoint> }> = {
  "/register": { methods: { POST: register } },
  "/authorize": { isPage: true, methods: { GET: authorize, POST: consent } },
  "/callback": { isPage: true, methods: { GET: callback } },
  "/token": { methods: { POST: token } },
  "/revoke": { methods: { POST: revoke } },
};

/** Sealed tokens have three kilobytes, and a registration's addresses two each. */
const longestBody = 65_536;

export function oauthHandler(deps: OAuthDependencies) {
  return async ({ headers, cookies = [], body = "", isBase64Encoded, rawQueryString, requestContext }: Event) => {
    const { method, path } = requestContext.http;
    const endpoint = Object.hasOwn(endpoints, path) ? endpoints[path] : undefined;
    if (!endpoint) return errorAnswer(404, "not_found", "There is no such endpoint");
    const answer = Object.hasOwn(endpoint.methods, method) ? endpoint.methods[method] : undefined;
    if (!answer)
      return errorAnswer(405, "invalid_request", `${path} takes ${Object.keys(endpoint.methods).join(", ")}`);
    if (body.length > longestBody) return errorAnswer(413, "invalid_request", `A body may have ${longestBody} bytes`);
    const text = isBase64Encoded ? Buffer.from(body, "base64").toString("utf8") : body;
    try {
      return await answer(deps, { headers, cookies, query: new URLSearchParams(rawQueryString), body: text });
    } catch (error) {
      return endpoint.isPage ? refusedPage(deps, error) : refused(deps, error);
    }
  };
}

function refusedPage({ settings, log }: OAuthDependencies, error: unknown): OAuthAnswer {
  if (error instanceof PageRefusal) return errorPage(400, error.message);
  if (error instanceof RedirectedError) {
    const { redirectUri, state, code, message } = error;
    return redirect(
      withParameters(redirectUri, { error: code, error_description: message, state, iss: settings.origin }),
    );
  }
  log.problem("A sign-in of an MCP client failed", {}, error);
  return errorPage(503, "The sign-in does not work right now. Try again in a moment");
}

/** A client that hears `invalid_client` registers again; 401 is for one that has sent a secret (RFC 6749, 5.2). */
function refused({ log }: OAuthDependencies, error: unknown): OAuthAnswer {
  if (error instanceof OAuthError)
    return errorAnswer(error.code === "invalid_client" ? 401 : 400, error.code, error.message);
  const isOutage = error instanceof PoolUnavailable || (error instanceof Refusal && error.code === "store_unavailable");
  log.problem(isOutage ? "The user pool or the store does not answer" : "A request of an MCP client failed", {}, error);
  return errorAnswer(503, "temporarily_unavailable", "The sign-in does not work right now, try again");
}
