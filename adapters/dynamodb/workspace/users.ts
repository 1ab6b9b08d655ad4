// The store of people. A person's profile, memberships and active workspaces are the items of one partition.
import type { DynamoDBDocumentClient } from "@aws-sdk/lib-dynamodb";
import type { Membership, Profile, UserRecord, UserStore } from "../../../domain/workspace/user.ts";
import { recordOf } from "../client.ts";
import { rowsOf } from "../rows.ts";
import { activeIndex, index, keys } from "../schema.ts";

export function userStore(client: DynamoDBDocumentClient, tableName: string): UserStore {
  const rows = rowsOf(client, tableName);
  const membership = async (sub: string, tenantId: string) =>
    recordOf<Membership>(await rows.get(keys.membership(sub, tenantId)));

  return {
    membership,

    record: async (sub) => recordFrom(sub, await rows.all({ pk: keys.profile(sub).pk })),

    async putProfile({ sub, email, approval_status, created_at }) {
      // A person who is approved meanwhile may stay listed, so the reader of the list checks the profile.
      const isPending = approval_status === "pending";
      await rows.update(keys.profile(sub), {
        UpdateExpression:
          "SET #sub = :sub, email = :email, gsi1_pk = :gsi1_pk, gsi1_sk = :gsi1_sk, " +
          "created_at = if_not_exists(created_at, :now), " +
          (isPending
            ? "approval_status = if_not_exists(approval_status, :approval), gsi2_pk = :gsi2_pk, gsi2_sk = :sub"
            : "approval_status = :approval REMOVE gsi2_pk, gsi2_sk"),
        ExpressionAttributeNames: { "#sub": "sub" },
        ExpressionAttributeValues: {
          ":sub": sub,
          ":email": email,
          ":gsi1_pk": index.email(email).gsi1_pk,
          ":gsi1_sk": index.email(email).gsi1_sk,
          ":approval": approval_status,
          ":now": created_at,
          ...(isPending && { ":gsi2_pk": activeIndex.pending() }),
        },
      });
    },

    async chooseTenant(sub, clientId, tenantId) {
      const isActive = {
        Key: keys.membership(sub, tenantId),
        ConditionExpression: "#status = :active",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":active": "active" },
      };
      const Item = { ...keys.activeTenant(sub, clientId), client_id: clientId, tenant_id: tenantId };
      return (await rows.transact([{ ConditionCheck: isActive }, { Put: { Item } }])) === undefined;
    },

    async activate(activated) {
      const { sub, tenant_id } = activated;
      const isActivated = await rows.update(keys.membership(sub, tenant_id), {
        UpdateExpression: "SET #status = :active, activated_at = :now",
        ConditionExpression: "attribute_exists(invited_at) AND attribute_not_exists(#status)",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":active": "active", ":now": activated.activated_at },
      });
      if (isActivated) return activated;
      return (await membership(sub, tenant_id)) ?? { ...activated, status: "removed" };
    },
  };
}

function recordFrom(sub: string, items: Record<string, unknown>[]): UserRecord {
  const starting = (prefix: string) => items.filter((item) => String(item.sk).startsWith(prefix));
  const active = starting(keys.activeTenant(sub, "").sk);
  return {
    profile: recordOf<Profile>(items.find((item) => item.sk === keys.profile(sub).sk)),
    memberships: starting(keys.membership(sub, "").sk).map((item) => recordOf<Membership>(item)),
    activeTenants: Object.fromEntries(active.map((item) => [item.client_id, item.tenant_id])),
  };
}
