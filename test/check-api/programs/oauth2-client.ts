// A first day by @badgateway/oauth2-client, which finds the endpoints, keeps the token and renews it by itself.
import { generateCodeVerifier, OAuth2Client, OAuth2Fetch, type OAuth2Token } from "@badgateway/oauth2-client";
import { readPlatform, type SignIn, throughBrowser, workThroughADay } from "./day.ts";

const platform = await readPlatform();
const { client_id, redirect_uris, scopes } = platform.clients.console;
const client = new OAuth2Client({ clientId: client_id, discoveryEndpoint: platform.openid_configuration_url });

await workThroughADay(async (email): Promise<SignIn> => {
  const [codeVerifier, state] = [await generateCodeVerifier(), crypto.randomUUID()];
  const redirectUri = redirect_uris[0];
  const address = await client.authorizationCode.getAuthorizeUri({ redirectUri, state, codeVerifier, scope: scopes });
  const back = await throughBrowser(email, address);
  const first = await client.authorizationCode.getTokenFromCodeRedirect(back, { redirectUri, state, codeVerifier });
  let token: OAuth2Token = first;
  const signedIn = new OAuth2Fetch({
    client,
    // Its timer would outlive the day.
    scheduleRefresh: false,
    getNewToken: () => null,
    getStoredToken: () => first,
    storeToken: (renewed) => {
      token = renewed;
    },
  });
  return {
    fetch: (url, init) => signedIn.fetch(url, init),
    async refresh() {
      await signedIn.refreshToken();
    },
    end: () => client.revoke(token, "refresh_token"),
  };
});
