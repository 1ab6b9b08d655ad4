// The store of when people signed out everywhere.
import type { SignOutStore } from "../../../domain/access/sign-out.ts";
import { expiresAt } from "../../../domain/kernel/retention.ts";
import { recordOf } from "../client.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";
import { put, when } from "../write.ts";

type SignOut = { sub: string; signed_out_at: string };

export function signOutStore(rows: Rows): SignOutStore {
  return {
    async of(sub) {
      const row = recordOf<SignOut>(await rows.get(keys.signOut(sub)));
      return row && Date.parse(row.signed_out_at);
    },

    async put(sub, at, entries = []) {
      const signOut: SignOut = { sub, signed_out_at: new Date(at).toISOString() };
      const row = { ...keys.signOut(sub), ...signOut, expires_at: expiresAt("signOut", at) };
      const isLater = when`attribute_not_exists(pk) OR signed_out_at < ${signOut.signed_out_at}`;
      if (entries.length === 0) await rows.put(row, isLater);
      else await rows.transact([put(row, isLater), ...entries.map((entry) => auditPut(entry))]);
    },
  };
}
