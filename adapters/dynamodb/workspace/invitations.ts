// Invitations in the table: memberships without a status, and the tenant's count of the day's mails.
import { type DynamoDBDocumentClient, GetCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { optimistically } from "../../../domain/kernel/optimistic.ts";
import type { InvitationEnd } from "../../../domain/workspace/expired-invitations.ts";
import type { InvitationStore } from "../../../domain/workspace/invitation.ts";
import { transact, withRetries, written } from "../client.ts";
import { index, keys } from "../schema.ts";
import { auditPut } from "./audit.ts";

const ExpressionAttributeNames = { "#status": "status" };

export function invitationStore(client: DynamoDBDocumentClient, tableName: string): InvitationStore {
  const isActive = "#status = :active";

  async function counted(tenantId: string, count: { set: string; if: string; values: object }): Promise<boolean> {
    const command = new UpdateCommand({
      TableName: tableName,
      Key: keys.tenant(tenantId),
      UpdateExpression: `SET ${count.set}`,
      ConditionExpression: `${isActive} AND (${count.if})`,
      ExpressionAttributeNames: { ...ExpressionAttributeNames, "#day": "day" },
      ExpressionAttributeValues: { ":active": "active", ...count.values },
    });
    return written(() => client.send(command));
  }

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
        const read = new GetCommand({ TableName: tableName, Key: keys.tenant(tenantId), ConsistentRead: true });
        const { Item } = await withRetries(() => client.send(read));
        if (Item?.status !== "active") return "closed";
        const { invitation_mails: mails } = Item;
        return mails?.day === day && mails.sent >= max ? "none_left" : undefined;
      });
    },

    async invite(invitation, before, entry) {
      const { sub, tenant_id } = invitation;
      const item = { ...keys.membership(sub, tenant_id), ...index.member(tenant_id, sub), ...invitation };
      const isAsBefore = before
        ? { ConditionExpression: "#status = :removed", ExpressionAttributeValues: { ":removed": "removed" } }
        : { ConditionExpression: "attribute_not_exists(pk)" };
      const Put = { TableName: tableName, Item: item, ...isAsBefore, ...(before && { ExpressionAttributeNames }) };
      return (await transact(client, [{ Put }, auditPut(tableName, entry)])) === undefined;
    },

    async noteMail({ sub, tenant_id }, mailedAt, notAfter, entry) {
      const Update = {
        TableName: tableName,
        Key: keys.membership(sub, tenant_id),
        UpdateExpression: "SET mailed_at = :now",
        ConditionExpression:
          "attribute_exists(invited_at) AND attribute_not_exists(#status) AND " +
          "(attribute_not_exists(mailed_at) OR mailed_at <= :before)",
        ExpressionAttributeNames,
        ExpressionAttributeValues: { ":now": mailedAt, ":before": notAfter },
      };
      return (await transact(client, [{ Update }, auditPut(tableName, entry)])) === undefined;
    },
  };
}

/** Ends expired invitations. An invited person who never signed in has no keys. */
export function invitationEnd(client: DynamoDBDocumentClient, tableName: string): InvitationEnd {
  return {
    async expire({ sub, tenant_id }, entry) {
      const Update = {
        TableName: tableName,
        Key: keys.membership(sub, tenant_id),
        UpdateExpression: "SET #status = :removed, removed_at = :now",
        ConditionExpression: "attribute_exists(invited_at) AND attribute_not_exists(#status)",
        ExpressionAttributeNames,
        ExpressionAttributeValues: { ":removed": "removed", ":now": entry.at },
      };
      const Delete = { TableName: tableName, Key: keys.grant(tenant_id, sub) };
      await transact(client, [{ Update }, { Delete }, auditPut(tableName, entry)]);
    },
  };
}
