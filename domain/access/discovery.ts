// The discovery document: everything that a client must know of the platform, so that its only setting is the platform's URL.
import * as z from "zod";

/** The path at which the control plane serves the document. */
export const discoveryPath = "/.well-known/archway.json";

/** A public app client of the user pool, for the code flow with PKCE. Its redirect URI must equal one of these. */
const appClient = z.object({
  client_id: z.string().min(1),
  redirect_uris: z.array(z.url()).min(1),
  /** Scopes in the form of an authorization request. */
  scopes: z.array(z.string().min(1)).min(1),
});

/** The app client of a program in a browser: it also returns from a sign-out, to exactly one of these addresses. */
const browserClient = appClient.extend({ logout_uris: z.array(z.url()) });

export const discoverySchema = z.object({
  /** The `iss` of every token. */
  issuer: z.url(),
  /** The issuer's OpenID configuration. On a laptop it does not stand below the issuer, which nobody serves there. */
  openid_configuration_url: z.url(),
  /** Base URL of `/v1`. */
  api_url: z.url(),
  /** Base URL of `/oauth2/authorize`, `/oauth2/token` and `/oauth2/revoke`. */
  auth_url: z.url(),
  /** Base URL of a workspace's `/v1/messages`, with its slug in place of `{slug}`. */
  proxy_url: z.string().includes("{slug}"),
  /** The last path segment of `proxy_url`. */
  vendor: z.string().min(1),
  /** Name of the request header that chooses the region. */
  region_header: z.string().min(1),
  /** Names for `identity_provider` of an authorization request: who may vouch for people beside their password. */
  providers: z.array(z.string().min(1)),
  clients: z.object({
    console: browserClient,
    token_helper: appClient,
    token_helper_write: appClient,
    skills: appClient,
  }),
});

export type Discovery = z.output<typeof discoverySchema>;
