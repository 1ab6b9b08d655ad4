// The header `WWW-Authenticate`, which tells a refused caller what the credential lacks (RFC 6750, section 3).
import type { Refusal } from "../../domain/kernel/refusal.ts";

/** @param scope what a token needs, as the identity provider writes it. */
export function challenge(scope: string) {
  return ({ code, message }: Refusal): Record<string, string> => {
    const description = `error_description="${message.replace(/[^\x20-\x7e]|["\\]/g, "'")}"`;
    // A caller that sent no credential is told no error code.
    if (code === "credential_missing") return { "www-authenticate": `Bearer scope="${scope}"` };
    if (code.startsWith("credential_")) {
      return { "www-authenticate": `Bearer error="invalid_token", ${description}` };
    }
    if (code === "scope_missing") {
      return { "www-authenticate": `Bearer error="insufficient_scope", ${description}, scope="${scope}"` };
    }
    return {};
  };
}
