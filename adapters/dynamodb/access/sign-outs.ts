// The store of when people signed out everywhere.
import type { SignOutStore } from "../../../domain/access/sign-out.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { put, when } from "../write.ts";
import { signOutRecord } from "./sign-out.record.ts";

export function signOutStore(rows: Rows): SignOutStore {
  return {
    async of(sub) {
      const row = await rows.read(signOutRecord, { sub });
      return row && Date.parse(row.signed_out_at);
    },

    async put(sub, at, entries = []) {
      const signOut = { sub, signed_out_at: new Date(at).toISOString() };
      const row = { ...signOutRecord.key({ sub }), ...signOut, expires_at: signOutRecord.expiresAt(at) };
      const isLater = when`attribute_not_exists(pk) OR signed_out_at < ${signOut.signed_out_at}`;
      if (entries.length === 0) await rows.put(row, isLater);
      else await rows.transact([put(row, isLater), ...entries.map((entry) => auditPut(entry))]);
    },
  };
}
