// What a caller presents: an API key or a token, told by the value itself and never by the header that carries it.
import * as z from "zod";
import { Refusal } from "../kernel/refusal.ts";
import { platformRoles, tenantRoles } from "../workspace/user.ts";
import { parseApiKey } from "./api-key.ts";

/** What an access token says. The tenant's claims are missing for people without a workspace. */
export const claimsSchema = z.object({
  sub: z.string().min(1),
  client_id: z.string().min(1),
  scope: z.string().optional(),
  exp: z.number(),
  tenant_id: z.string().optional(),
  tenant_role: z.enum(tenantRoles).optional(),
  platform_role: z.enum(platformRoles).optional(),
});

export type Claims = z.infer<typeof claimsSchema>;

export interface TokenVerifier {
  /**
   * @throws Refusal credential_invalid or credential_expired.
   * @throws KeySetUnavailable if the token cannot be judged now.
   */
  verify(token: string): Promise<Claims>;
}

/** The identity provider's keys cannot be fetched, and those that are known are too old. */
export class KeySetUnavailable extends Error {}

/** The credentials of one request, by kind. */
export type PresentedCredentials = { key: string | undefined; token: string | undefined };

/** What a presented value looks like. `key` says that shape and checksum are right, `token` that it has a token's three parts. */
export function credentialKind(value: string): "key" | "token" | "unknown" {
  if (/^ar_(live|test)_/.test(value)) return parseApiKey(value) ? "key" : "unknown";
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(value) ? "token" : "unknown";
}

/**
 * Reads `Authorization: Bearer` and `x-api-key`; either may carry either. A value of unknown kind counts only if it is alone.
 * @param headers with lower-case names.
 * @throws Refusal credential_missing or credential_invalid.
 */
export function presentedCredentials(headers: Record<string, string | undefined>): PresentedCredentials {
  const bearer = /^bearer +(.*)$/i.exec(headers.authorization?.trim() ?? "")?.[1];
  const values = [bearer, headers["x-api-key"]].map((value) => value?.trim()).filter((value) => !!value) as string[];
  const first = (kind: "key" | "token") => values.find((value) => credentialKind(value) === kind);
  const presented = { key: first("key"), token: first("token") };
  if (presented.key || presented.token) return presented;
  if (values.length > 0 || headers.authorization) throw invalidCredential();
  throw new Refusal("credential_missing", "Send a token as Authorization: Bearer, or an API key as x-api-key");
}

/** One wording for every credential that does not count: it does not tell which part was wrong. */
export function invalidCredential(cause?: unknown): Refusal {
  return new Refusal("credential_invalid", "The credential is not valid", { cause });
}
