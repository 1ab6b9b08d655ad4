// Verifies the user pool's access tokens. The library judges their times by `Date`.
import { CognitoJwtVerifier } from "aws-jwt-verify";
import { JwtExpiredError } from "aws-jwt-verify/error";
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

export function cognitoTokens({ userPoolId, clientIds, ...keySet }: CognitoOptions): TokenVerifier {
  const jwksCache = new HourlyKeySet(keySet);
  const verifier = CognitoJwtVerifier.create(
    {
      userPoolId,
      tokenUse: "access",
      clientId: clientIds,
      customJwtCheck: ({ payload }) => requireEnd(payload),
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

/** The library takes a token without an end for one that never ends. */
function requireEnd({ exp }: JwtPayload): void {
  if (exp === undefined) throw new JwtExpiredError("The token has no end", exp);
}

function refusalOf(error: unknown): Error {
  if (error instanceof KeySetUnavailable) return error;
  if (error instanceof JwtExpiredError)
    return new Refusal("credential_expired", "The token has expired, sign in again");
  return invalidCredential(error);
}
