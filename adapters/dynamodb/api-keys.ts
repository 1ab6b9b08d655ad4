// API keys in the table, found by their id, and listed by tenant through the index.
import {
  type DynamoDBDocumentClient,
  GetCommand,
  PutCommand,
  QueryCommand,
  type QueryCommandOutput,
  UpdateCommand,
} from "@aws-sdk/lib-dynamodb";
import type { ApiKey, ApiKeyStore } from "../../domain/access/api-key.ts";
import { hasKey, recordOf, transact, withRetries, written } from "./client.ts";
import { index, keys, table } from "./schema.ts";

type Item = Record<string, unknown>;

export function apiKeyStore(client: DynamoDBDocumentClient, tableName: string): ApiKeyStore {
  /** The service accounts of a key's tenant, each an attribute, and their number. */
  const accountsOf = ({ tenant_id, caller_id }: ApiKey) => ({
    TableName: tableName,
    Key: keys.serviceAccounts(tenant_id),
    ExpressionAttributeNames: { "#account": `a#${caller_id}` },
  });

  async function leave(key: ApiKey): Promise<void> {
    const command = new UpdateCommand({
      ...accountsOf(key),
      UpdateExpression: "REMOVE #account ADD accounts :minus_one",
      ConditionExpression: "attribute_exists(#account)",
      ExpressionAttributeValues: { ":minus_one": -1 },
    });
    await written(() => client.send(command));
  }

  return {
    async get(keyId) {
      const Key = keys.apiKey(keyId);
      const { Item } = await withRetries(() =>
        client.send(new GetCommand({ TableName: tableName, Key, ConsistentRead: true })),
      );
      return Item && keyOf(Item);
    },

    async create(key, maxServiceAccounts) {
      const put = {
        TableName: tableName,
        Item: itemOf(key),
        // Our own hash is there if the answer of this very write was lost.
        ConditionExpression: "attribute_not_exists(pk) OR #hash = :hash",
        ExpressionAttributeNames: { "#hash": "hash" },
        ExpressionAttributeValues: { ":hash": key.hash },
      };
      if (key.role !== "service_account") {
        return (await written(() => client.send(new PutCommand(put)))) ? "created" : "taken";
      }
      const place = {
        ...accountsOf(key),
        UpdateExpression: "SET #account = :now ADD accounts :one",
        ConditionExpression: "attribute_not_exists(#account) AND (attribute_not_exists(accounts) OR accounts < :max)",
        ExpressionAttributeValues: { ":now": key.created_at, ":one": 1, ":max": maxServiceAccounts },
      };
      const failed = await transact(client, [{ Put: put }, { Update: place }]);
      return failed === undefined ? "created" : failed === 0 ? "taken" : "full";
    },

    async revoke(tenantId, keyId, callerId, now) {
      const command = new UpdateCommand({
        TableName: tableName,
        Key: keys.apiKey(keyId),
        UpdateExpression: "SET #status = :revoked, revoked_at = if_not_exists(revoked_at, :now)",
        ConditionExpression: callerId ? "tenant_id = :tenant AND caller_id = :caller" : "tenant_id = :tenant",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: {
          ":revoked": "revoked",
          ":now": new Date(now).toISOString(),
          ":tenant": tenantId,
          ...(callerId && { ":caller": callerId }),
        },
        ReturnValues: "ALL_NEW",
      });
      let revoked: Item | undefined;
      const isRevoked = await written(async () => {
        revoked = (await client.send(command)).Attributes;
      });
      // After it: a revocation that is repeated gives the place back, if that has failed.
      if (revoked?.role === "service_account") await leave(keyOf(revoked));
      return isRevoked;
    },

    async list(tenantId, callerId, { limit, after }) {
      const { gsi1_pk, gsi1_sk: prefix } = index.apiKey(tenantId, "");
      const isListed = (item: Item) => hasKey(item, keys.apiKey(String(item.key_id))) && item.tenant_id === tenantId;
      const items: ApiKey[] = [];
      let start: Item | undefined =
        after === undefined ? undefined : { ...keys.apiKey(after), ...index.apiKey(tenantId, after) };
      do {
        const command = new QueryCommand({
          TableName: tableName,
          IndexName: table.index.name,
          KeyConditionExpression: "gsi1_pk = :pk AND begins_with(gsi1_sk, :prefix)",
          ...(callerId && { FilterExpression: "caller_id = :caller" }),
          ExpressionAttributeValues: { ":pk": gsi1_pk, ":prefix": prefix, ...(callerId && { ":caller": callerId }) },
          ExclusiveStartKey: start,
          Limit: limit - items.length,
        });
        const { Items = [], LastEvaluatedKey }: QueryCommandOutput = await withRetries(() => client.send(command));
        items.push(...Items.filter(isListed).map(keyOf));
        start = LastEvaluatedKey;
      } while (start !== undefined && items.length < limit);
      return { items, next: start && items.at(-1)?.key_id };
    },
  };
}

/** A key keeps its row after it has expired, so its end is not in the attribute by which the table deletes items. */
function itemOf({ expires_at, ...key }: ApiKey): Item {
  const { tenant_id, key_id } = key;
  return { ...keys.apiKey(key_id), ...index.apiKey(tenant_id, key_id), ...key, key_expires_at: expires_at };
}

function keyOf(item: Item): ApiKey {
  const { key_expires_at, ...key } = recordOf<ApiKey & { key_expires_at?: string }>(item) as ApiKey & {
    key_expires_at?: string;
  };
  return { ...key, ...(key_expires_at !== undefined && { expires_at: key_expires_at }) };
}
