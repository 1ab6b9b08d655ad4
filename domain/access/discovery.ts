// What a client must know of the platform, so that its only setting is the platform's URL.
import * as z from "zod";

/** Where the control plane serves it. */
export const discoveryPath = "/.well-known/archway.json";

/** A public app client of the user pool: code flow with PKCE, and a redirect URI that is one of these, letter by letter. */
const appClient = z.object({
  client_id: z.string().min(1),
  redirect_uris: z.array(z.url()).min(1),
  /** As the authorization request names them. */
  scopes: z.array(z.string().min(1)).min(1),
});

export const discoverySchema = z.object({
  /** The `iss` of every token. */
  issuer: z.url(),
  /** `/v1` is below it. */
  api_url: z.url(),
  /** `/oauth2/authorize`, `/oauth2/token` and `/oauth2/revoke` are below it. */
  auth_url: z.url(),
  /** Of a workspace, with its slug in place of `{slug}`; `/v1/messages` is below it. */
  proxy_url: z.string().includes("{slug}"),
  /** The last segment of that path. */
  vendor: z.string().min(1),
  /** A request's header that names the region. */
  region_header: z.string().min(1),
  clients: z.object({ console: appClient, token_helper: appClient, skills: appClient }),
});

export type Discovery = z.output<typeof discoverySchema>;
