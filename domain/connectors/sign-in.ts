// The way of a person who has agreed: to the user pool's pages, and from there back to the client with a code of ours.
import { createHash } from "node:crypto";
import { patienceMs } from "./authorization.ts";
import { PageRefusal } from "./oauth-error.ts";
import { withParameters } from "./redirect-address.ts";
import type { Sealed, Sealing } from "./sealed.ts";

export type SignInDependencies = {
  sealing: Sealing;
  clock: () => number;
  /** 43 random letters, digits, hyphens and underscores. */
  newVerifier: () => string;
  settings: {
    origin: string;
    /** The user pool's own pages. */
    signIn: string;
    /** The one scope of a connector's tokens. */
    scope: string;
  };
};

/** The user pool's code lives as long, and works once (docs.aws.amazon.com/cognito/latest/developerguide/authorization-endpoint.html). */
const codeMs = 300_000;

/** Where the user pool sends people back to. */
export function callbackOf(origin: string): string {
  return `${origin}/callback`;
}

/**
 * The answer of a person on the consent page.
 * @param browser the hash of the cookie of the browser that sends the form
 * @returns where the browser goes next
 * @throws PageRefusal if the page was not made for this browser, or is too old
 */
export async function answerConsent(
  deps: SignInDependencies,
  sealed: string,
  isAllowed: boolean,
  browser: string | undefined,
): Promise<string> {
  const { sealing, clock, newVerifier, settings } = deps;
  const question = await requireOwn(deps, "consent", sealed, browser);
  if (!isAllowed) return refused(question, settings.origin, "access_denied", "The person did not agree");
  const verifier = newVerifier();
  return withParameters(`${settings.signIn}/oauth2/authorize`, {
    response_type: "code",
    client_id: question.app_client,
    redirect_uri: callbackOf(settings.origin),
    scope: settings.scope,
    state: await sealing.seal("state", { ...question, verifier }, clock() + patienceMs),
    code_challenge: challengeOf(verifier),
    code_challenge_method: "S256",
  });
}

/**
 * The user pool's answer in the browser.
 * @returns the client's address, with a code or the pool's error
 * @throws PageRefusal unless the sign-in began in this browser
 */
export async function finishSignIn(
  deps: SignInDependencies,
  answer: URLSearchParams,
  browser: string | undefined,
): Promise<string> {
  const { sealing, clock, settings } = deps;
  const { verifier, browser: _, state, ...facts } = await requireOwn(deps, "state", answer.get("state") ?? "", browser);
  const error = answer.get("error");
  const code = answer.get("code");
  if (error !== null || !code) {
    const description = answer
      .get("error_description")
      ?.replace(/[^ !#-[\]-~]/g, " ")
      .slice(0, 300);
    const known = /^[a-z_]{1,40}$/.test(error ?? "") ? String(error) : "server_error";
    return refused({ ...facts, state }, settings.origin, known, description ?? "The sign-in did not succeed");
  }
  const sealed = await sealing.seal("code", { ...facts, pool_code: code, verifier }, clock() + codeMs);
  return withParameters(facts.redirect_uri, { code: sealed, state, iss: settings.origin });
}

/** The challenge of a verifier (RFC 7636, 4.2: S256). */
export function challengeOf(verifier: string): string {
  return createHash("sha256").update(verifier).digest("base64url");
}

type Answered = { redirect_uri: string; state?: string | undefined };

function refused({ redirect_uri, state }: Answered, iss: string, error: string, description: string): string {
  return withParameters(redirect_uri, { error, error_description: description, state, iss });
}

/** Opens a text that was sealed for this browser. A page or a link that somebody else opened binds nothing. */
async function requireOwn<P extends "consent" | "state">(
  { sealing, clock }: SignInDependencies,
  purpose: P,
  sealed: string,
  browser: string | undefined,
): Promise<Sealed<P>> {
  const opened = await sealing.open(purpose, sealed, clock());
  if (!opened)
    throw new PageRefusal("The sign-in took too long, or its address is not whole. Begin it in the application again");
  if (opened.browser === browser) return opened;
  throw new PageRefusal(
    "The sign-in began in another browser, or this browser takes no cookies. Begin it in the application again",
  );
}
