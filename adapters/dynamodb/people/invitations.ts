// Invitations in the table: memberships without a status, and the tenant's count of the day's mails.
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import type { InvitationEnd } from "../../../domain/people/expired-invitations.ts";
import type { InvitationStore } from "../../../domain/people/invitation.ts";
import { grantRecord } from "../access/grant.record.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { tenantRecord } from "../workspace/tenant.record.ts";
import { absent, change, put, remove, setting, update, when } from "../write.ts";
import { membershipRecord } from "./user.record.ts";

export function invitationStore(rows: Rows): InvitationStore {
  return {
    takeMail(tenantId, day, max) {
      const key = tenantRecord.key({ tenant_id: tenantId });
      const another = () =>
        rows.update(
          key,
          change`SET invitation_mails.sent = invitation_mails.sent + ${1}`,
          when`#status = ${"active"} AND invitation_mails.#day = ${day} AND invitation_mails.sent < ${max}`,
        );
      const first = () =>
        rows.update(
          key,
          change`SET invitation_mails = ${{ day, sent: 1 }}`,
          when`#status = ${"active"} AND (attribute_not_exists(invitation_mails) OR invitation_mails.#day <> ${day})`,
        );
      return optimistically(async () => {
        if ((await another()) || (await first())) return "taken";
        const tenant = tenantRecord.parse(await rows.get(key));
        if (tenant?.status !== "active") return "closed";
        const mails = tenant.invitation_mails;
        return mails?.day === day && mails.sent >= max ? "none_left" : undefined;
      });
    },

    async invite(invitation, before, entry) {
      const { sub, tenant_id, created_at } = invitation;
      const listing = membershipRecord.indexKey({ tenant_id, created_at, sub });
      const item = { ...membershipRecord.key({ sub, tenant_id }), ...listing, ...invitation };
      const isAsBefore = before ? when`#status = ${"removed"}` : absent;
      return (await rows.transact([put(item, isAsBefore), auditPut(entry)])) === undefined;
    },

    async noteMail({ sub, tenant_id, mailed_at, invited_by, password_mailed }, notAfter, entry) {
      const isInvited = when`attribute_exists(invited_at) AND attribute_not_exists(#status) AND (attribute_not_exists(mailed_at) OR mailed_at <= ${notAfter})`;
      const noted = update(
        membershipRecord.key({ sub, tenant_id }),
        setting({ mailed_at, invited_by, password_mailed }),
        isInvited,
      );
      return (await rows.transact([noted, auditPut(entry)])) === undefined;
    },
  };
}

/** Ends expired invitations. An invited person who never signed in has no keys. */
export function invitationEnd(rows: Rows): InvitationEnd {
  return {
    async expire({ sub, tenant_id }, entry) {
      const ended = update(
        membershipRecord.key({ sub, tenant_id }),
        setting({ status: "removed", removed_at: entry.at }),
        when`attribute_exists(invited_at) AND attribute_not_exists(#status)`,
      );
      await rows.transact([ended, remove(grantRecord.key({ tenant_id, dev_sub: sub })), auditPut(entry)]);
    },
  };
}
