// Invitations in the table: memberships without a status, and the tenant's count of the day's mails.
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import type { InvitationEnd } from "../../../domain/workspace/expired-invitations.ts";
import type { InvitationStore } from "../../../domain/workspace/invitation.ts";
import { absent, type Rows } from "../rows.ts";
import { index, keys } from "../schema.ts";
import { auditPut } from "./audit.ts";

const ExpressionAttributeNames = { "#status": "status" };

export function invitationStore(rows: Rows): InvitationStore {
  const isActive = "#status = :active";

  const counted = (tenantId: string, count: { set: string; if: string; values: object }) =>
    rows.update(keys.tenant(tenantId), {
      UpdateExpression: `SET ${count.set}`,
      ConditionExpression: `${isActive} AND (${count.if})`,
      ExpressionAttributeNames: { ...ExpressionAttributeNames, "#day": "day" },
      ExpressionAttributeValues: { ":active": "active", ...count.values },
    });

  return {
    takeMail(tenantId, day, max) {
      const one = {
        set: "invitation_mails.sent = invitation_mails.sent + :one",
        if: "invitation_mails.#day = :day AND invitation_mails.sent < :max",
        values: { ":one": 1, ":day": day, ":max": max },
      };
      const first = {
        set: "invitation_mails = :first",
        if: "attribute_not_exists(invitation_mails) OR invitation_mails.#day <> :day",
        values: { ":first": { day, sent: 1 }, ":day": day },
      };
      return optimistically(async () => {
        if ((await counted(tenantId, one)) || (await counted(tenantId, first))) return "taken";
        const tenant = await rows.get(keys.tenant(tenantId));
        if (tenant?.status !== "active") return "closed";
        const mails = tenant.invitation_mails as { day: string; sent: number } | undefined;
        return mails?.day === day && mails.sent >= max ? "none_left" : undefined;
      });
    },

    async invite(invitation, before, entry) {
      const { sub, tenant_id } = invitation;
      const item = { ...keys.membership(sub, tenant_id), ...index.member(tenant_id, sub), ...invitation };
      const isAsBefore = before
        ? { ConditionExpression: "#status = :removed", ExpressionAttributeValues: { ":removed": "removed" } }
        : absent;
      const Put = { Item: item, ...isAsBefore, ...(before && { ExpressionAttributeNames }) };
      return (await rows.transact([{ Put }, auditPut(entry)])) === undefined;
    },

    async noteMail({ sub, tenant_id }, mailedAt, notAfter, entry) {
      const Update = {
        Key: keys.membership(sub, tenant_id),
        UpdateExpression: "SET mailed_at = :now",
        ConditionExpression:
          "attribute_exists(invited_at) AND attribute_not_exists(#status) AND " +
          "(attribute_not_exists(mailed_at) OR mailed_at <= :before)",
        ExpressionAttributeNames,
        ExpressionAttributeValues: { ":now": mailedAt, ":before": notAfter },
      };
      return (await rows.transact([{ Update }, auditPut(entry)])) === undefined;
    },
  };
}

/** Ends expired invitations. An invited person who never signed in has no keys. */
export function invitationEnd(rows: Rows): InvitationEnd {
  return {
    async expire({ sub, tenant_id }, entry) {
      const Update = {
        Key: keys.membership(sub, tenant_id),
        UpdateExpression: "SET #status = :removed, removed_at = :now",
        ConditionExpression: "attribute_exists(invited_at) AND attribute_not_exists(#status)",
        ExpressionAttributeNames,
        ExpressionAttributeValues: { ":removed": "removed", ":now": entry.at },
      };
      const Delete = { Key: keys.grant(tenant_id, sub) };
      await rows.transact([{ Update }, { Delete }, auditPut(entry)]);
    },
  };
}
