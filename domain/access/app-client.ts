// Who asks the user pool for tokens: of each app client, what its tokens may do and how long they live.
import type { Scope } from "./scope.ts";

export type AppClientRules = {
  scopes: readonly Scope[];
  /** Whether a token may also be asked for with `ownAccountScope`; a sign-in does not ask for it. */
  ownAccount?: true;
  /** Of access and ID tokens. */
  accessMinutes: number;
  /** From the sign-in on; rotating a refresh token does not prolong it. */
  refreshHours: number;
};

const days = 24;

/** A browser loses its tokens to whatever script gets into the page, so the console's live shortest and call no model. */
export const appClients = {
  console: { scopes: ["control:manage"], ownAccount: true, accessMinutes: 15, refreshHours: 12 },
  token_helper: { scopes: ["control:manage", "proxy:invoke"], accessMinutes: 60, refreshHours: 30 * days },
  skills: { scopes: ["skills:rw", "skills:invoke"], accessMinutes: 60, refreshHours: 30 * days },
  /** Of an MCP gateway, made with it: nothing of the platform's, only the scope of its gateway's own resource server. */
  connector: { scopes: [], accessMinutes: 15, refreshHours: 30 * days },
} as const satisfies Record<string, AppClientRules>;
