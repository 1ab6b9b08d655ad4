// Verifies the user pool's access tokens. The key set is cached for one hour, and all times are read from the given clock.
import { CognitoJwtVerifier } from "aws-jwt-verify";
import { JwtExpiredError, JwtNotBeforeError } from "aws-jwt-verify/error";
import type { Fetcher } from "aws-jwt-verify/https";
import { SimpleJwksCache } from "aws-jwt-verify/jwk";
import type { JwtPayload } from "aws-jwt-verify/jwt-model";
import {
  type Claims,
  claimsSchema,
  invalidCredential,
  KeySetUnavailable,
  type TokenVerifier,
} from "../domain/access/credential.ts";
import { Refusal } from "../domain/kernel/refusal.ts";

/** docs/specification.md, Limits. */
const keySetTtlMs = 3_600_000;
/** After a failed fetch the next one waits so long; calls until then fail at once. */
const retryAfterMs = 1_000;

type CognitoOptions = {
  userPoolId: string;
  /** App clients whose tokens are accepted. */
  clientIds: string[];
  clock: () => number;
  /** Fetches the key set; the library's own unless a test brings one. */
  fetcher?: Fetcher;
};

export function cognitoTokens({ userPoolId, clientIds, clock, fetcher }: CognitoOptions): TokenVerifier {
  const jwksCache = new HourlyKeySet(clock, fetcher);
  const verifier = CognitoJwtVerifier.create(
    {
      userPoolId,
      tokenUse: "access",
      clientId: clientIds,
      // The library reads the machine's clock; checkTimes reads ours instead.
      graceSeconds: Number.POSITIVE_INFINITY,
      customJwtCheck: ({ payload }) => checkTimes(payload, clock()),
    },
    { jwksCache },
  );
  return {
    verify: async (token): Promise<Claims> => {
      try {
        return claimsSchema.parse(await verifier.verify(token));
      } catch (error) {
        throw refusalOf(error);
      }
    },
  };
}

/** The library's cache never expires. Here a key set that is an hour old is fetched again before it counts. */
class HourlyKeySet extends SimpleJwksCache {
  readonly #clock: () => number;
  readonly #fetchedAt = new Map<string, number>();
  readonly #failedAt = new Map<string, number>();

  constructor(clock: () => number, fetcher?: Fetcher) {
    super(fetcher && { fetcher });
    this.#clock = clock;
  }

  /** @throws KeySetUnavailable */
  override async getJwks(uri: string) {
    const since = this.#clock() - (this.#failedAt.get(uri) ?? Number.NEGATIVE_INFINITY);
    if (since < retryAfterMs) throw new KeySetUnavailable("The last attempt to fetch the key set failed a moment ago");
    const startedAt = this.#clock();
    try {
      const keySet = await super.getJwks(uri);
      this.#fetchedAt.set(uri, startedAt);
      return keySet;
    } catch (error) {
      this.#failedAt.set(uri, this.#clock());
      throw new KeySetUnavailable("The key set cannot be fetched", { cause: error });
    }
  }

  override async getJwk(uri: string, token: Parameters<SimpleJwksCache["getJwk"]>[1]) {
    const fetchedAt = this.#fetchedAt.get(uri);
    if (fetchedAt !== undefined && this.#clock() - fetchedAt >= keySetTtlMs) await this.getJwks(uri);
    return super.getJwk(uri, token);
  }
}

function checkTimes({ exp, nbf }: JwtPayload, now: number): void {
  if (exp === undefined || exp * 1000 <= now) throw new JwtExpiredError("expired", exp);
  if (nbf !== undefined && nbf * 1000 > now) throw new JwtNotBeforeError("not valid yet", nbf);
}

function refusalOf(error: unknown): Error {
  if (error instanceof KeySetUnavailable) return error;
  if (error instanceof JwtExpiredError)
    return new Refusal("credential_expired", "The token has expired, sign in again");
  return invalidCredential(error);
}
