// An OAuth client library that is not ours, and AWS's own verifier, against the sign-in host of the stack.
import { beforeAll, describe, expect, test } from "@jest/globals";
import { CognitoJwtVerifier } from "aws-jwt-verify";
import * as oauth from "oauth4webapi";
import { appClient } from "../../../local/demo/app-client.ts";
import { Browser } from "../../../local/demo/sign-in.ts";
import type { Stack } from "../../../local/stack.ts";
import { sharedStack } from "../../support/shared-stack.ts";

describe("an OAuth client library", () => {
  let stack: Stack;
  let server: oauth.AuthorizationServer;
  let client: oauth.Client;
  let redirectUri: string;
  let scope: string;
  let jwks: { keys: never[] };
  /** It stays signed in after the first time. */
  const browser = new Browser();
  // The local stack has no TLS.
  const options = { [oauth.allowInsecureRequests]: true };

  beforeAll(async () => {
    stack = await sharedStack();
    const { issuer } = stack.cognito;
    const documents = `${stack.at("auth")}${new URL(issuer).pathname}/.well-known`;
    server = await oauth.processDiscoveryResponse(new URL(issuer), await fetch(`${documents}/openid-configuration`));
    jwks = (await (await fetch(`${documents}/jwks.json`)).json()) as { keys: never[] };
    const { client_id, redirect_uri, scopes } = appClient(stack.program, "console");
    client = { client_id };
    redirectUri = redirect_uri;
    scope = ["openid", "email", ...scopes].join(" ");
  });

  /** What the library keeps of a request, and the address with which the browser comes back. */
  async function authorize() {
    const [verifier, state, nonce] = [
      oauth.generateRandomCodeVerifier(),
      oauth.generateRandomState(),
      oauth.generateRandomNonce(),
    ];
    const url = new URL(server.authorization_endpoint ?? "");
    url.search = `${new URLSearchParams({
      response_type: "code",
      client_id: client.client_id,
      redirect_uri: redirectUri,
      scope,
      state,
      nonce,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    })}`;
    const { email = "", password = "" } = stack.demo?.owner ?? {};
    const page = await browser.open(url.href, redirectUri);
    const back = page.html === "" ? page : await browser.submit(page, { username: email, password }, redirectUri);
    return { verifier, state, nonce, back: new URL(back.url) };
  }

  type Authorization = Awaited<ReturnType<typeof authorize>>;

  function exchange({ verifier, state, back }: Authorization): Promise<Response> {
    const answer = oauth.validateAuthResponse(server, client, back, state);
    return oauth.authorizationCodeGrantRequest(server, client, oauth.None(), answer, redirectUri, verifier, options);
  }

  const tokensOf = (response: Response, expectedNonce: string) =>
    oauth.processAuthorizationCodeResponse(server, client, response, { expectedNonce, requireIdToken: true });

  async function signIn() {
    const authorization = await authorize();
    return tokensOf(await exchange(authorization), authorization.nonce);
  }

  test("an OAuth client library finds the endpoints, gets tokens, reads the person's data, refreshes and revokes", async () => {
    const tokens = await signIn();
    const claims = oauth.getValidatedIdTokenClaims(tokens);
    const userInfo = async (token: string) =>
      oauth.processUserInfoResponse(
        server,
        client,
        claims?.sub ?? "",
        await oauth.userInfoRequest(server, client, token, options),
      );
    expect(await userInfo(tokens.access_token)).toMatchObject({ email: stack.demo?.owner.email });

    const refresh = async (token = "") =>
      oauth.processRefreshTokenResponse(
        server,
        client,
        await oauth.refreshTokenGrantRequest(server, client, oauth.None(), token, options),
      );
    const fresh = await refresh(tokens.refresh_token);
    expect(oauth.getValidatedIdTokenClaims(fresh)?.sub).toBe(claims?.sub);
    expect(fresh.refresh_token).not.toBe(tokens.refresh_token);

    const revocation = await oauth.revocationRequest(server, client, oauth.None(), fresh.refresh_token ?? "", options);
    await oauth.processRevocationResponse(revocation);
    await expect(refresh(fresh.refresh_token)).rejects.toMatchObject({ error: "invalid_grant", status: 400 });
    await expect(userInfo(fresh.access_token)).rejects.toMatchObject({ status: 401 });
  });

  test("an OAuth client library refuses an answer with another state, and tokens with another nonce", async () => {
    const authorization = await authorize();
    expect(() => oauth.validateAuthResponse(server, client, authorization.back, "another")).toThrow(/state/);
    await expect(exchange(authorization).then((response) => tokensOf(response, "another"))).rejects.toThrow(/nonce/);
  });

  test("an OAuth client library is refused with a code that was used, and with the verifier of another request", async () => {
    const authorization = await authorize();
    await tokensOf(await exchange(authorization), authorization.nonce);
    await expect(
      exchange(authorization).then((response) => tokensOf(response, authorization.nonce)),
    ).rejects.toMatchObject({
      error: "invalid_grant",
    });
    const other = { ...(await authorize()), verifier: authorization.verifier };
    await expect(exchange(other).then((response) => tokensOf(response, other.nonce))).rejects.toMatchObject({
      error: "invalid_grant",
    });
  });

  test("an OAuth client library gets tokens that AWS's verifier accepts unchanged, each only for its use and its client", async () => {
    const { id_token = "", access_token } = await signIn();
    const [declared] = stack.program.resources.ofType("aws:cognito/userPool:UserPool");
    const verifierOf = (tokenUse: "id" | "access", clientId = client.client_id) => {
      const verifier = CognitoJwtVerifier.create({ userPoolId: declared?.outputs.id, tokenUse, clientId });
      verifier.cacheJwks(jwks);
      return verifier;
    };
    const id = await verifierOf("id").verify(id_token);
    const access = await verifierOf("access").verify(access_token);
    expect(access).toMatchObject({ sub: id.sub, tenant_id: stack.demo?.tenant_id, tenant_role: "owner" });
    expect(id).toMatchObject({ tenant_id: stack.demo?.tenant_id, tenant_role: "owner" });
    await expect(verifierOf("access").verify(id_token)).rejects.toThrow(/Token use not allowed/);
    await expect(verifierOf("id", "another").verify(id_token)).rejects.toThrow(/audience/i);
  });
});
