// The state of a sign-in that is under way: authorization codes, browser sessions and open challenges.
import type { Authentication } from "../authentications.ts";
import type { TokenOverrides } from "../token-overrides.ts";

/** The sign-in behind an authorization code. The trigger ran when the code was made, as Cognito does it. */
export type AuthorizationCode = {
  authentication: Authentication;
  redirectUri: string;
  /** The sign-in host that issued it. */
  host: string;
  codeChallenge?: string;
  nonce?: string;
  overrides: TokenOverrides;
};

/** The sign-in behind the cookie of the sign-in pages. */
export type BrowserSession = {
  username: string;
  /** `COGNITO`, or the external provider that was used. */
  provider: string;
};

/** Cognito's names for the questions after the password. */
export type ChallengeName = "NEW_PASSWORD_REQUIRED" | "SOFTWARE_TOKEN_MFA";

/** An open question after the password. `failures` counts the wrong codes. */
export type Challenge = { name: ChallengeName; username: string; clientId: string; failures: number };

/** Cognito's default for `AuthSessionValidity` of an app client: three minutes. */
export const challengeMs = 3 * 60_000;

/** Five minutes, from Cognito's page on the authorize endpoint. */
export const codeMs = 5 * 60_000;

/** A browser stays signed in for an hour (Cognito's page on managed login). */
export const browserSessionMs = 60 * 60_000;
