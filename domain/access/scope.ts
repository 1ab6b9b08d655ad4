// The scopes of access tokens, as the resource server declares them and the handlers check them.

/** Scopes with their descriptions. The resource server declares exactly these. */
export const scopes = {
  "proxy:invoke": "Call models through the proxy",
  "control:manage": "Use the control plane in one's role",
  "control:read": "Read oneself, one's usage and one's workspaces, and choose one of them",
  "skills:rw": "Manage skills",
  "skills:invoke": "Invoke skills",
  "mcp:connect": "Use the tools of one workspace's MCP gateway",
} as const;

export type Scope = keyof typeof scopes;

/**
 * The user pool's own scope: lets a token's holder change their account at Cognito, and set up an authenticator app, for which managed login
 * has no page where MFA is optional (docs.aws.amazon.com/cognito-user-identity-pools/latest/APIReference: API_AssociateSoftwareToken.html,
 * API_CreateUserPool.html).
 */
export const ownAccountScope = "aws.cognito.signin.user.admin";

/** True if a token's `scope` claim holds the scope, bare or with the resource server's prefix (Cognito writes the latter). */
export function holdsScope(claim: string | undefined, scope: Scope, prefix: string): boolean {
  const held = (claim ?? "").split(" ");
  return held.includes(scope) || held.includes(`${prefix}/${scope}`);
}
