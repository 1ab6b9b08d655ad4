// An MCP client as a person connects it: a sign-in by the gateway's own metadata, and calls with the token.
import * as oauth from "oauth4webapi";
import { Browser } from "../../../local/demo/sign-in.ts";
import type { Person } from "../../../local/running-stack.ts";

/** An address on the person's own machine; any port serves. */
export const redirectUri = "http://localhost:8420/callback";
export const insecure = { [oauth.allowInsecureRequests]: true };

type Gateway = { endpoint: string; public_client_id: string };

export type ConnectorSignIn = {
  /** The gateway's address. */
  endpoint: string;
  clientId: string;
  person: Person;
  /** The client's address; one on this machine unless given. */
  returnTo?: string;
  authentication?: oauth.ClientAuth;
  /** The browser in which the person is; a new one unless given. */
  browser?: Browser;
};

/** As an MCP client begins: from the refusal of a call to the metadata of the authorization server. */
export async function discover(endpoint: string): Promise<oauth.AuthorizationServer> {
  const refused = await fetch(endpoint, { method: "POST" });
  const [, metadata = ""] = /resource_metadata="([^"]+)"/.exec(refused.headers.get("www-authenticate") ?? "") ?? [];
  const resource = (await (await fetch(metadata)).json()) as { authorization_servers: [string] };
  const issuer = new URL(resource.authorization_servers[0]);
  const discovered = await oauth.discoveryRequest(issuer, { algorithm: "oauth2", ...insecure });
  return oauth.processDiscoveryResponse(issuer, discovered);
}

/** The parameters of an authorization request, and the verifier of its challenge. */
export async function authorizationRequest(clientId: string, endpoint: string | undefined, returnTo = redirectUri) {
  const [verifier, state] = [oauth.generateRandomCodeVerifier(), oauth.generateRandomState()];
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: returnTo,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    ...(endpoint !== undefined && { resource: endpoint }),
  });
  return { query, verifier, state };
}

/** The id of a client that has just registered, as a gateway's metadata says where. */
export async function registeredClient(endpoint: string, redirectUris = [redirectUri]): Promise<string> {
  const { registration_endpoint = "" } = await discover(endpoint);
  const body = JSON.stringify({ redirect_uris: redirectUris });
  const answer = await fetch(registration_endpoint, { method: "POST", body });
  return ((await answer.json()) as { client_id: string }).client_id;
}

/** The tokens of a person who signs in at an MCP gateway, agrees on the consent page, and is sent back to the client. */
export async function signInConnector({
  endpoint,
  clientId,
  person,
  returnTo = redirectUri,
  authentication = oauth.None(),
  browser = new Browser(),
}: ConnectorSignIn) {
  const server = await discover(endpoint);
  const client: oauth.Client = { client_id: clientId };
  const { query, verifier, state } = await authorizationRequest(clientId, endpoint, returnTo);
  const back = await agree(browser, `${server.authorization_endpoint}?${query}`, person, returnTo);
  const answer = oauth.validateAuthResponse(server, client, new URL(back), state);
  const granted = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    answer,
    returnTo,
    verifier,
    {
      additionalParameters: { resource: endpoint },
      ...insecure,
    },
  );
  return { server, tokens: await oauth.processAuthorizationCodeResponse(server, client, granted) };
}

/** The person opens the address of an authorization request, agrees and signs in. @returns the address to which the browser is sent back */
export async function agree(browser: Browser, address: string, person: Person, returnTo: string): Promise<string> {
  const asked = await browser.open(address, returnTo);
  const page = await browser.submit(asked, { decision: "allow" }, returnTo);
  if (page.url.startsWith(returnTo)) return page.url;
  const { email: username, password } = person;
  return (await browser.submit(page, { username, password }, returnTo)).url;
}

/** The access token of somebody who signs in at the gateway's public client. */
export async function connectorToken({ endpoint, public_client_id }: Gateway, person: Person): Promise<string> {
  return (await signInConnector({ endpoint, clientId: public_client_id, person })).tokens.access_token;
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
