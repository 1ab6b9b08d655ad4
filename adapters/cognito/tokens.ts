// Verifies the user pool's access tokens. All times are read from the given clock.
import { CognitoJwtVerifier } from "aws-jwt-verify";
import { JwtExpiredError, JwtNotBeforeError } from "aws-jwt-verify/error";
import type { JwtPayload } from "aws-jwt-verify/jwt-model";
import {
  type Claims,
  claimsSchema,
  invalidCredential,
  KeySetUnavailable,
  type TokenVerifier,
} from "../../domain/access/credential.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";
import { HourlyKeySet, type KeySetOptions } from "./hourly-key-set.ts";

type CognitoOptions = KeySetOptions & {
  userPoolId: string;
  /** App clients whose tokens are accepted. */
  clientIds: string[];
};

export function cognitoTokens({ userPoolId, clientIds, clock, ...keySet }: CognitoOptions): TokenVerifier {
  const jwksCache = new HourlyKeySet({ clock, ...keySet });
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
