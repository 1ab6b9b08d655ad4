// Signs somebody in with the simulated provider, by a client library that is not ours.
import { expect } from "@jest/globals";
import { CognitoJwtVerifier } from "aws-jwt-verify";
import * as oauth from "oauth4webapi";
import { userPool } from "../../../emulators/pulumi/services/cognito.ts";
import { appClient } from "../../../local/demo/app-client.ts";
import { Browser } from "../../../local/demo/sign-in.ts";
import type { Stack } from "../../../local/stack.ts";

type ClientName = "console" | "tokenHelper";
/** The subject is the provider's id of somebody whose address has changed there. */
type Who = { email: string; isVouchedFor: boolean; subject?: string };

export type SignedIn = { sub: string; claims: Record<string, unknown>; accessToken: string; refreshToken: string };

const insecure = { [oauth.allowInsecureRequests]: true } as const;

/** A browser that stays signed in, and the answer that the client gets. */
export class FederatedClient {
  readonly #stack: Stack;
  readonly #name: ClientName;
  readonly #browser = new Browser();

  constructor(stack: Stack, name: ClientName = "console") {
    this.#stack = stack;
    this.#name = name;
  }

  /** @returns the `error_description` with which the browser comes back, or who is signed in. */
  async signIn(who: Who): Promise<string | SignedIn> {
    const { client_id, redirect_uri, scopes } = appClient(this.#stack.program, this.#name);
    const [verifier, state, nonce] = [
      oauth.generateRandomCodeVerifier(),
      oauth.generateRandomState(),
      oauth.generateRandomNonce(),
    ];
    const query = new URLSearchParams({
      response_type: "code",
      client_id,
      redirect_uri,
      identity_provider: "Google",
      prompt: "login",
      scope: ["openid", "email", "profile", ...scopes].join(" "),
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    });
    const page = await this.#browser.open(`${this.#stack.at("auth")}/oauth2/authorize?${query}`, redirect_uri);
    const { email, isVouchedFor, subject } = who;
    const filled = { email, ...(isVouchedFor && { email_verified: "true" }), ...(subject && { subject }) };
    const { url } = await this.#browser.submit(page, filled, redirect_uri);
    const answer = new URL(url).searchParams;
    if (answer.has("error")) {
      expect([answer.get("error"), answer.get("state")]).toEqual(["invalid_request", state]);
      return answer.get("error_description") ?? "";
    }
    const parameters = oauth.validateAuthResponse(this.#server(), this.#client(), answer, state);
    const none = oauth.None();
    const response = await oauth.authorizationCodeGrantRequest(
      this.#server(),
      this.#client(),
      none,
      parameters,
      redirect_uri,
      verifier,
      insecure,
    );
    const checks = { expectedNonce: nonce, requireIdToken: true };
    return this.#signedIn(
      await oauth.processAuthorizationCodeResponse(this.#server(), this.#client(), response, checks),
    );
  }

  /** @throws oauth.ResponseBodyError if there is no token */
  async refresh({ refreshToken }: SignedIn): Promise<SignedIn> {
    const none = oauth.None();
    const response = await oauth.refreshTokenGrantRequest(this.#server(), this.#client(), none, refreshToken, insecure);
    const tokens = await oauth.processRefreshTokenResponse(this.#server(), this.#client(), response);
    return this.#signedIn({ refresh_token: refreshToken, ...tokens });
  }

  async #signedIn({ access_token, id_token, refresh_token }: Partial<oauth.TokenEndpointResponse>): Promise<SignedIn> {
    const claims = await this.#verified("access", access_token);
    const id = await this.#verified("id", id_token);
    for (const name of ["tenant_id", "tenant_role", "custom:tenant_role", "platform_role"]) {
      expect(id[name]).toBe(claims[name]);
    }
    return { sub: String(claims.sub), claims, accessToken: access_token ?? "", refreshToken: refresh_token ?? "" };
  }

  async #verified(tokenUse: "access" | "id", token = ""): Promise<Record<string, unknown>> {
    const { client_id: clientId } = appClient(this.#stack.program, this.#name);
    const userPoolId = String(this.#pool().id);
    const verifier = CognitoJwtVerifier.create({ userPoolId, tokenUse, clientId });
    const keySet = await fetch(`${this.#stack.at("auth")}/${userPoolId}/.well-known/jwks.json`);
    verifier.cacheJwks((await keySet.json()) as Parameters<typeof verifier.cacheJwks>[0]);
    return { ...(await verifier.verify(token)) };
  }

  #pool() {
    return this.#stack.program.resources.ofType(userPool.type)[0]?.outputs ?? {};
  }

  #server(): oauth.AuthorizationServer {
    const at = (name: string) => `${this.#stack.at("auth")}/oauth2/${name}`;
    return {
      issuer: `https://${this.#pool().endpoint}`,
      authorization_endpoint: at("authorize"),
      token_endpoint: at("token"),
    };
  }

  /** The stack's clock is ahead of the machine's. */
  #client(): oauth.Client {
    const skew = Math.round((this.#stack.clock.now() - Date.now()) / 1000);
    return { client_id: appClient(this.#stack.program, this.#name).client_id, [oauth.clockSkew]: skew };
  }
}
