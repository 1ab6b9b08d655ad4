// App clients of the user pool: the scopes and lifetimes of the tokens of each.
import type { Scope } from "./scope.ts";

export type AppClientRules = {
  scopes: readonly Scope[];
  /** Whether the client may also request `ownAccountScope`. A sign-in does not request it. */
  ownAccount?: true;
  /** Lifetime of access and ID tokens. */
  accessMinutes: number;
  /** Lifetime of refresh tokens from the sign-in on. Rotation does not prolong it. */
  refreshHours: number;
};

const days = 24;

/** A script injected into a page can steal a browser's tokens, so the console's tokens are short-lived and call no model. */
export const appClients = {
  console: { scopes: ["control:manage"], ownAccount: true, accessMinutes: 15, refreshHours: 12 },
  /**
   * The token helper gives these tokens to coding assistants, which run what a model says: such a token calls models and reads, and changes
   * nothing.
   */
  token_helper: { scopes: ["control:read", "proxy:invoke"], accessMinutes: 60, refreshHours: 30 * days },
  /** Those commands of the token helper that change something have a sign-in of their own, as short as Cognito allows. */
  token_helper_write: { scopes: ["control:manage"], accessMinutes: 5, refreshHours: 1 },
  skills: { scopes: ["skills:rw", "skills:invoke"], accessMinutes: 60, refreshHours: 30 * days },
  /** The clients of an MCP gateway, created with it: their tokens open that gateway and nothing else. */
  connector: { scopes: ["mcp:connect"], accessMinutes: 15, refreshHours: 30 * days },
} as const satisfies Record<string, AppClientRules>;
