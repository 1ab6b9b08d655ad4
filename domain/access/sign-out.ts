// Signing out everywhere: every sign-in of before is worth nothing from then on, at the control plane and at the proxy.
import { Cache, configurationTtlMs } from "../kernel/cache.ts";
import { Refusal } from "../kernel/refusal.ts";
import type { Retention } from "../kernel/retention.ts";
import type { SignIns } from "../people/accounts.ts";
import { mostTrails } from "../people/sign-in-entries.ts";
import type { UserStore } from "../people/user.ts";
import { type AuditEntry, auditEntry } from "../workspace/audit.ts";
import type { Claims, TokenVerifier } from "./credential.ts";

/** Longer than a sign-in may last (`appClients`): after that no token of before is left. */
export const signOutRetention = { days: 31 } as const satisfies Retention;

export interface SignOutStore {
  /** When the person last signed out everywhere, in milliseconds since the epoch; undefined if no sign-in of before can still have tokens. */
  of(sub: string): Promise<number | undefined>;
  /** Notes a time, with entries of the audit trail. A later one that is noted already stays, and no entry is written. */
  put(sub: string, at: number, entries?: readonly AuditEntry[]): Promise<void>;
}

type SignOutDependencies = {
  signOuts: Pick<SignOutStore, "put">;
  users: Pick<UserStore, "record">;
  accounts: SignIns;
  clock: () => number;
  newId: () => string;
};

/**
 * Ends every sign-in of a person, the one that asks for it too, and tells it on the trails of the person's workspaces. The time is noted first: then
 * no token of before is accepted, whatever the identity provider does.
 * @throws Refusal identity_unavailable if the identity provider is not known to have ended them; a repeat does the rest.
 */
export async function signOutEverywhere(deps: SignOutDependencies, sub: string): Promise<void> {
  const { signOuts, users, accounts, clock, newId } = deps;
  const now = clock();
  const { memberships } = await users.record(sub);
  const joined = memberships.filter(({ status }) => status === "active").slice(0, mostTrails);
  const change = { actor: sub, action: "user.sign_out", target: sub } as const;
  const entries = joined.map(({ tenant_id }) => auditEntry({ ...change, tenant_id }, { id: newId(), now }));
  await signOuts.put(sub, now, entries);
  await accounts.endSignIns(sub);
}

type CurrentTokensDependencies = {
  tokens: TokenVerifier;
  signOuts: Pick<SignOutStore, "of">;
  clock: () => number;
};

const size = 10_000;

/** Verifies tokens, and refuses those of sign-ins that their person has ended, at most 60 s later. */
export function currentTokens({ tokens, signOuts, clock }: CurrentTokensDependencies): TokenVerifier {
  const times = new Cache<number>({ size, ttlMs: configurationTtlMs, clock });
  return {
    async verify(token) {
      const claims = await tokens.verify(token);
      const at = await times.through(claims.sub, async () => (await signOuts.of(claims.sub)) ?? 0);
      if (at && isEnded(claims, at)) {
        throw new Refusal("credential_ended", `This sign-in was ended at ${new Date(at).toISOString()}, sign in again`);
      }
      return claims;
    },
  };
}

/** A token says its sign-in to the second. Who signs in within the second of the sign-out stays. */
export function isEnded({ auth_time }: Pick<Claims, "auth_time">, at: number): boolean {
  return auth_time === undefined || auth_time < Math.floor(at / 1000);
}
