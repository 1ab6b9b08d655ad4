// What is remembered while someone signs in: between the pages, between the browser and the client, between two calls.
import type { Authentication } from "../authentications.ts";
import type { TokenOverrides } from "../token-overrides.ts";

/** Stands behind an authorization code. The trigger ran when the code was made, as Cognito does it. */
export type AuthorizationCode = {
  authentication: Authentication;
  redirectUri: string;
  codeChallenge?: string;
  nonce?: string;
  overrides: TokenOverrides;
};

/** Stands behind the cookie of the sign-in pages. */
export type BrowserSession = {
  username: string;
  /** `COGNITO`, or the external provider that was used. */
  provider: string;
};

/** In Cognito's words. */
export type ChallengeName = "NEW_PASSWORD_REQUIRED" | "SOFTWARE_TOKEN_MFA";

/** Something is asked for after the password; `failures` are wrong codes. */
export type Challenge = { name: ChallengeName; username: string; clientId: string; failures: number };

/** Five minutes, from Cognito's page on the authorize endpoint. */
export const codeMs = 5 * 60_000;

/** One hour, from Cognito's page on managed login. */
export const browserSessionMs = 60 * 60_000;
