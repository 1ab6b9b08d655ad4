// The store of approvals. People who wait are listed in the second index from their sign-up to their approval.
import type { ApprovalStore } from "../../../domain/people/approval.ts";
import type { Profile } from "../../../domain/people/user.ts";
import { hasKey, recordOf } from "../client.ts";
import { listed } from "../listed.ts";
import type { Rows } from "../rows.ts";
import { activeIndex, idIn, keys } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";
import { setting, update, when } from "../write.ts";

export function approvalStore(rows: Rows): ApprovalStore {
  return {
    async pending({ limit, after }) {
      const gsi2Pk = activeIndex.pending();
      const { items, isMore } = await listed(
        rows,
        { pk: gsi2Pk, by: "activeIndex" },
        {
          limit,
          start: after === undefined ? undefined : { ...keys.profile(idIn(after)), gsi2_pk: gsi2Pk, gsi2_sk: after },
          isListed: (item) => hasKey(item, keys.profile(idIn(String(item.gsi2_sk)))),
        },
      );
      const places = items.map(({ gsi2_sk }) => String(gsi2_sk));
      const subs = places.map(idIn);
      const { item } = await rows.batch(subs.map(keys.profile));
      const found = subs.map((sub) => item(keys.profile(sub))).filter((each) => each !== undefined);
      const profiles = found.map(profileOf).filter((profile) => profile.approval_status === "pending");
      return { items: profiles, next: isMore ? places.at(-1) : undefined };
    },

    async approve(sub, entry) {
      const approved = setting({ approval_status: "approved", gsi2_pk: undefined, gsi2_sk: undefined });
      // If the condition fails, another administrator approved at the same time.
      const isPending = when`approval_status = ${"pending"}`;
      const refused = await rows.transact([update(keys.profile(sub), approved, isPending), auditPut(entry)]);
      return refused === undefined;
    },
  };
}

function profileOf(item: Record<string, unknown>): Profile {
  const { sub, email, approval_status, provider, email_verified, linked, created_at } = recordOf<Profile>(item);
  return { sub, email, approval_status, provider, email_verified, linked, created_at };
}
