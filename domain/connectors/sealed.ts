// Texts that browsers and MCP clients keep for the authorization server, so that nothing is stored: each is encrypted and authenticated with a key
// of the stack, for one purpose only.
import * as z from "zod";

/** The client and the gateway of one authorization request, which its consent, its state and its code hold. */
const request = z.object({
  /** The hash of the client's id. */
  client: z.string(),
  redirect_uri: z.string(),
  /** The client's own challenge (RFC 7636, S256). */
  challenge: z.string(),
  tenant_id: z.string(),
  /** The gateway's segment in the path of its address. */
  address: z.string(),
  /** The app client of the user pool that stands for the client. */
  app_client: z.string(),
});

const visit = request.extend({
  /** The client's `state`. */
  state: z.string().optional(),
  /** The hash of the cookie of the browser in which the sign-in began. */
  browser: z.string(),
});

export const sealedSchemas = {
  /** A registered client's id. */
  client: z.object({ name: z.string().optional(), redirect_uris: z.array(z.string()), at: z.number() }),
  /** The question on the consent page. */
  consent: visit,
  /** The `state` of a sign-in at the user pool, with the verifier of its challenge there. */
  state: visit.extend({ verifier: z.string() }),
  /** An authorization code: the user pool's own, which works once, and its verifier. */
  code: request.extend({ pool_code: z.string(), verifier: z.string() }),
  /** A generation of a family of refresh tokens. */
  refresh: z.object({
    client: z.string(),
    tenant_id: z.string(),
    address: z.string(),
    app_client: z.string(),
    sub: z.string(),
    family_id: z.string(),
    generation: z.int(),
    /** When this generation began, in milliseconds. */
    since: z.number(),
    /** When the sign-in ends, in milliseconds. */
    until: z.number(),
    pool_token: z.string(),
  }),
};

export type Purpose = keyof typeof sealedSchemas;
export type Sealed<P extends Purpose> = z.output<(typeof sealedSchemas)[P]>;
export type AuthorizationFacts = z.output<typeof request>;

export interface Sealing {
  /** @param until when the text ends, in milliseconds; never unless given */
  seal<P extends Purpose>(purpose: P, content: Sealed<P>, until?: number): Promise<string>;
  /** @returns undefined for a text that this stack did not make, that has another purpose, or that has ended by `now` */
  open<P extends Purpose>(purpose: P, text: string, now: number): Promise<Sealed<P> | undefined>;
}
