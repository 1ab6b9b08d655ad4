// The store of approvals. People who wait are listed in the second index from their sign-up to their approval.
import type { ApprovalStore } from "../../../domain/people/approval.ts";
import { hasKey } from "../client.ts";
import { listed } from "../listed.ts";
import type { Rows } from "../rows.ts";
import { idIn } from "../table.ts";
import { auditPut } from "../workspace/audit.ts";
import { setting, update, when } from "../write.ts";
import { profileRecord } from "./user.record.ts";

export function approvalStore(rows: Rows): ApprovalStore {
  return {
    async pending({ limit, after }) {
      const range = profileRecord.activeIndexRange({});
      const { items, isMore } = await listed(rows, range, {
        limit,
        start:
          after === undefined
            ? undefined
            : { ...profileRecord.key({ sub: idIn(after) }), gsi2_pk: range.pk, gsi2_sk: after },
        isListed: (item) => hasKey(item, profileRecord.key({ sub: idIn(String(item.gsi2_sk)) })),
      });
      const places = items.map(({ gsi2_sk }) => String(gsi2_sk));
      const subs = places.map(idIn);
      const { item } = await rows.batch(subs.map((sub) => profileRecord.key({ sub })));
      const found = subs.map((sub) => item(profileRecord.key({ sub }))).filter((each) => each !== undefined);
      const profiles = found
        .map((item) => profileRecord.parse(item))
        .filter((profile) => profile.approval_status === "pending");
      return { items: profiles, next: isMore ? places.at(-1) : undefined };
    },

    async approve(sub, entry) {
      const approved = setting({ approval_status: "approved", gsi2_pk: undefined, gsi2_sk: undefined });
      // If the condition fails, another administrator approved at the same time.
      const isPending = when`approval_status = ${"pending"}`;
      const refused = await rows.transact([update(profileRecord.key({ sub }), approved, isPending), auditPut(entry)]);
      return refused === undefined;
    },
  };
}
