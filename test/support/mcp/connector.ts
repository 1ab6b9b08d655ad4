// An MCP client as a person connects it: a sign-in by the gateway's own metadata, and calls with the token.
import * as oauth from "oauth4webapi";
import { Browser } from "../../../local/demo/sign-in.ts";
import type { Person } from "../../../local/running-stack.ts";

/** One of the addresses that the stack names to which a client may come back. */
export const redirectUri = "http://localhost:8420/callback";
const insecure = { [oauth.allowInsecureRequests]: true };

type Gateway = { endpoint: string; public_client_id: string };

/** The access token of somebody who signs in at the gateway's public client. */
export async function connectorToken({ endpoint, public_client_id }: Gateway, person: Person): Promise<string> {
  const issuer = new URL(new URL(endpoint).origin);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const client: oauth.Client = { client_id: public_client_id };
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const query = new URLSearchParams({
    response_type: "code",
    client_id: public_client_id,
    redirect_uri: redirectUri,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  });
  const browser = new Browser();
  const page = await browser.open(`${server.authorization_endpoint}?${query}`, redirectUri);
  const { email: username, password } = person;
  const back = await browser.submit(page, { username, password }, redirectUri);
  const answer = oauth.validateAuthResponse(server, client, new URL(back.url), state);
  const granted = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    answer,
    redirectUri,
    verifier,
    insecure,
  );
  return (await oauth.processAuthorizationCodeResponse(server, client, granted)).access_token;
}

/** One message of MCP to a gateway, and the message that answers it. */
export async function ask(endpoint: string, token: string, method: string, params: object = {}) {
  const response = await fetch(endpoint, {
    method: "POST",
    headers: {
      authorization: `Bearer ${token}`,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
    },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
  });
  const text = await response.text();
  const data = /^data: (.*)$/m.exec(text)?.[1] ?? text;
  return { status: response.status, message: data === "" ? undefined : JSON.parse(data) };
}
