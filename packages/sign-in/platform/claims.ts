// The claims of an access token, which are not verified here.

export type Claims = { sub?: string; tenant_id?: string; tenant_role?: string };

/** Undefined for a text that is no JWT. */
export function claimsOf(token: string): Claims | undefined {
  try {
    return JSON.parse(Buffer.from(token.split(".")[1] ?? "", "base64url").toString()) ?? undefined;
  } catch {
    return undefined;
  }
}
