// A sign-in, here called an authentication: the claims that its tokens share, its refresh tokens, and its revocation.
import { randomUUID } from "node:crypto";
import type { Store } from "../store.ts";
import { type AppClient, lifetimes, rotation } from "./clients.ts";
import { notAuthorized } from "./refusals.ts";
import { type Entry, Secrets } from "./secrets.ts";

export type Authentication = {
  /** The claim `origin_jti`: revoking it revokes every token of this sign-in. */
  originJti: string;
  /** The claim `event_id`. */
  eventId: string;
  username: string;
  clientId: string;
  scopes: string[];
  /** Seconds since the epoch. */
  authTime: number;
  /** The API that the access tokens are bound to (RFC 8707). */
  resource?: string;
  revoked?: true;
};

/** The sign-in behind a refresh token. `replacedAt` is set once the token was rotated, in milliseconds since the epoch. */
type RefreshToken = { originJti: string; replacedAt?: number };

export type Refresh = { authentication: Authentication; entry: Entry<RefreshToken> };

export class Authentications {
  readonly #stored;
  readonly #refreshTokens: Secrets<RefreshToken>;
  readonly #now: () => number;

  constructor(store: Store, now: () => number) {
    this.#stored = store.collection<Authentication>("cognito/authentication");
    this.#refreshTokens = new Secrets(store.collection("cognito/refresh-token"), now);
    this.#now = now;
  }

  /** Makes the record of a sign-in that has just happened. */
  create(signIn: Pick<Authentication, "username" | "clientId" | "scopes" | "resource">): Authentication {
    return { originJti: randomUUID(), eventId: randomUUID(), authTime: Math.floor(this.#now() / 1000), ...signIn };
  }

  /** Stores the sign-in and gives its first refresh token. */
  keep(authentication: Authentication, client: AppClient): string {
    this.#stored.put(authentication.originJti, authentication);
    const expiresAt = this.#now() + lifetimes(client.settings).refresh * 1000;
    return this.#refreshTokens.issue({ originJti: authentication.originJti }, expiresAt);
  }

  /**
   * Finds the sign-in behind a refresh token. With rotation the token counts as replaced from now on.
   * @throws AwsError NotAuthorizedException if it is unknown, another client's, expired, replaced or revoked.
   */
  redeem(token: string, client: AppClient): Refresh {
    const entry = this.#refreshTokens.read(token);
    const authentication = entry && this.#stored.get(entry.value.originJti);
    if (!entry || authentication?.clientId !== client.id) throw notAuthorized("Invalid Refresh Token");
    if (authentication.revoked) throw notAuthorized("Refresh Token has been revoked");
    const rotates = rotation(client);
    if (rotates) {
      const { replacedAt = this.#now() } = entry.value;
      if (entry.value.replacedAt !== undefined && this.#now() >= replacedAt + rotates.graceSeconds * 1000) {
        throw notAuthorized("Refresh Token has been replaced");
      }
      this.#refreshTokens.update(entry, { ...entry.value, replacedAt });
    }
    return { authentication, entry };
  }

  /** Makes the next refresh token of a client that rotates them. It lives no longer than the first. */
  rotate({ entry }: Refresh, client: AppClient): string | undefined {
    if (!rotation(client)) return undefined;
    return this.#refreshTokens.issue({ originJti: entry.value.originJti }, entry.expiresAt);
  }

  /** Undoes a redemption after which no tokens could be made. */
  restore({ entry }: Refresh): void {
    this.#refreshTokens.update(entry, entry.value);
  }

  /** Finds the sign-in behind a refresh token that has not expired. */
  ofRefreshToken(token: string): Authentication | undefined {
    const entry = this.#refreshTokens.read(token);
    return entry && this.#stored.get(entry.value.originJti);
  }

  revoke(authentication: Authentication): void {
    this.#stored.put(authentication.originJti, { ...authentication, revoked: true });
  }

  /** Ends every sign-in of a person. */
  revokeAllOf(username: string): void {
    for (const authentication of this.#stored.all()) {
      if (authentication.username === username) this.revoke(authentication);
    }
  }

  isLive(originJti: string): boolean {
    const authentication = this.#stored.get(originJti);
    return authentication !== undefined && !authentication.revoked;
  }
}
