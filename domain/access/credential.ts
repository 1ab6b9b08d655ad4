// Credentials: API keys and tokens. The value itself tells which of them it is, not the header in which it was sent.
import * as z from "zod";
import { Refusal } from "../kernel/refusal.ts";
import { tenantRoles } from "../people/user.ts";
import { platformRoles } from "../workspace/platform-role.ts";
import { parseApiKey } from "./key-text.ts";

/** The claims of an access token. The tenant's claims are missing for people without a workspace. */
export const claimsSchema = z.object({
  sub: z.string().min(1),
  client_id: z.string().min(1),
  scope: z.string().optional(),
  exp: z.number(),
  /** When the person signed in, in seconds since the epoch. A refresh does not change it. */
  auth_time: z.number().optional(),
  tenant_id: z.string().optional(),
  tenant_role: z.enum(tenantRoles).optional(),
  platform_role: z.enum(platformRoles).optional(),
});

export type Claims = z.infer<typeof claimsSchema>;

export interface TokenVerifier {
  /**
   * @throws Refusal credential_invalid, credential_expired or credential_ended.
   * @throws KeySetUnavailable if the token cannot be verified now.
   */
  verify(token: string): Promise<Claims>;
}

/** The identity provider's keys cannot be fetched, and the cached keys are too old. Nothing is said of the token. */
export class KeySetUnavailable extends Refusal {
  constructor(cause: unknown) {
    super("identity_unavailable", "Tokens cannot be verified right now, try again.", { cause });
  }
}

/** The credentials of one request, by kind. */
export type PresentedCredentials = { key: string | undefined; token: string | undefined };

/** The kind of a presented value. A `key` has the right shape and checksum, a `token` has a token's three parts. */
export function credentialKind(value: string): "key" | "token" | "unknown" {
  if (/^ar_(live|test)_/.test(value)) return parseApiKey(value) ? "key" : "unknown";
  return /^eyJ[\w-]*\.[\w-]+\.[\w-]+$/.test(value) ? "token" : "unknown";
}

/** The first value of each kind; nothing if no value is a credential. A value of unknown kind beside a known one is ignored. */
export function credentialsAmong(values: readonly string[]): PresentedCredentials | undefined {
  const first = (kind: "key" | "token") => values.find((value) => credentialKind(value) === kind);
  const presented = { key: first("key"), token: first("token") };
  return presented.key || presented.token ? presented : undefined;
}

/** All invalid credentials are refused in the same words, which do not tell what was wrong. */
export function invalidCredential(cause?: unknown): Refusal {
  return new Refusal("credential_invalid", "The credential is not valid", { cause });
}
