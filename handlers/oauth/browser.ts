// The endpoints that a person's browser opens: the consent page, its form, and the way back from the user pool.
import { askedConsent } from "../../domain/connectors/authorization.ts";
import { PageRefusal } from "../../domain/connectors/oauth-error.ts";
import { answerConsent, finishSignIn } from "../../domain/connectors/sign-in.ts";
import { redirect } from "./answers.ts";
import { browserCookie, browserHash, browserOf } from "./browser-cookie.ts";
import type { OAuthDependencies } from "./dependencies.ts";
import type { OAuthAnswer, OAuthRequest } from "./message.ts";
import { consentPage } from "./pages.ts";

/** `GET /authorize`: a person is asked each time, so that no earlier consent can be used by somebody else's link. */
export async function authorize(deps: OAuthDependencies, { query, cookies }: OAuthRequest): Promise<OAuthAnswer> {
  const browser = browserOf(cookies) ?? deps.newBrowser();
  const question = await askedConsent(deps, query, browserHash(browser));
  return { ...consentPage(question), cookies: [browserCookie(browser)] };
}

/** `POST /authorize`: the form of the consent page. */
export async function consent(deps: OAuthDependencies, { headers, cookies, body }: OAuthRequest): Promise<OAuthAnswer> {
  // Browsers say so of every form; those that do not are held by the cookie alone.
  if (!["same-origin", undefined].includes(headers["sec-fetch-site"])) {
    throw new PageRefusal("This form was sent by another site");
  }
  const form = new URLSearchParams(body);
  const isAllowed = form.get("decision") === "allow";
  return redirect(await answerConsent(deps, form.get("request") ?? "", isAllowed, ownHash(cookies)));
}

/** `GET /callback`: where the user pool sends the browser back to. */
export async function callback(deps: OAuthDependencies, { query, cookies }: OAuthRequest): Promise<OAuthAnswer> {
  return redirect(await finishSignIn(deps, query, ownHash(cookies)));
}

function ownHash(cookies: readonly string[]): string | undefined {
  const browser = browserOf(cookies);
  return browser === undefined ? undefined : browserHash(browser);
}
