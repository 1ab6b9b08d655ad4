// Reads a request's credentials: `Authorization: Bearer` and `x-api-key`, where either header may carry a key or a token.
import { credentialsAmong, invalidCredential, type PresentedCredentials } from "../../domain/access/credential.ts";
import { Refusal } from "../../domain/kernel/refusal.ts";

/**
 * @param headers with lower-case names
 * @param cure what a request without credentials should send
 * @throws Refusal credential_missing or credential_invalid.
 */
export function presentedCredentials(
  headers: Record<string, string | undefined>,
  cure = "Send a token as Authorization: Bearer, or an API key as x-api-key",
): PresentedCredentials {
  const bearer = /^bearer +(.*)$/i.exec(headers.authorization?.trim() ?? "")?.[1];
  const values = [bearer, headers["x-api-key"]].flatMap((value) => value?.trim() || []);
  const presented = credentialsAmong(values);
  if (presented) return presented;
  if (values.length > 0 || headers.authorization) throw invalidCredential();
  throw new Refusal("credential_missing", cure);
}
