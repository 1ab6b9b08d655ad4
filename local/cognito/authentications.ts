// One sign-in: what its tokens share, its refresh tokens, and what ends it.
import { randomUUID } from "node:crypto";
import { AwsError } from "../aws/service.ts";
import type { Store } from "../store.ts";
import { type AppClient, lifetimes, rotation } from "./clients.ts";
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

/** A refresh token stands for a sign-in; a rotated one says when it was replaced, in milliseconds since the epoch. */
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

  /** Someone has just signed in. */
  create(signIn: Pick<Authentication, "username" | "clientId" | "scopes" | "resource">): Authentication {
    return { originJti: randomUUID(), eventId: randomUUID(), authTime: Math.floor(this.#now() / 1000), ...signIn };
  }

  /** Keeps the sign-in and gives its first refresh token. */
  keep(authentication: Authentication, client: AppClient): string {
    this.#stored.put(authentication.originJti, authentication);
    const expiresAt = this.#now() + lifetimes(client.settings).refresh * 1000;
    return this.#refreshTokens.issue({ originJti: authentication.originJti }, expiresAt);
  }

  /**
   * The sign-in that a refresh token stands for. With rotation the token counts as replaced from now on.
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

  /** The next refresh token of a client that rotates them; it lives no longer than the first. */
  rotate({ entry }: Refresh, client: AppClient): string | undefined {
    if (!rotation(client)) return undefined;
    return this.#refreshTokens.issue({ originJti: entry.value.originJti }, entry.expiresAt);
  }

  /** The refresh came to nothing: its token is as it was. */
  restore({ entry }: Refresh): void {
    this.#refreshTokens.update(entry, entry.value);
  }

  /** The sign-in behind a refresh token that has not expired. */
  ofRefreshToken(token: string): Authentication | undefined {
    const entry = this.#refreshTokens.read(token);
    return entry && this.#stored.get(entry.value.originJti);
  }

  revoke(authentication: Authentication): void {
    this.#stored.put(authentication.originJti, { ...authentication, revoked: true });
  }

  /** Ends every sign-in of someone. */
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

function notAuthorized(message: string): AwsError {
  return new AwsError("NotAuthorizedException", message);
}
