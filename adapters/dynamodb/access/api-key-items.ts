// Single writes and conditions that the changes of API keys are made of, each an item of a transaction.
import type { ApiKey } from "../../../domain/access/api-key.ts";
import { keys } from "../schema.ts";
import { itemOf } from "./stored-api-key.ts";

export function apiKeyItems(tableName: string) {
  /** The service accounts of a key's tenant, each an attribute, and their number. */
  const accountsOf = ({ tenant_id, caller_id }: ApiKey) => ({
    TableName: tableName,
    Key: keys.serviceAccounts(tenant_id),
    ExpressionAttributeNames: { "#account": `a#${caller_id}` },
  });

  return {
    put: (key: ApiKey) => ({
      Put: { TableName: tableName, Item: itemOf(key), ConditionExpression: "attribute_not_exists(pk)" },
    }),

    /** Fails if the person is no active member of the tenant: a removal at the same time leaves no key behind. */
    membership: ({ tenant_id, caller_id }: ApiKey) => ({
      ConditionCheck: {
        TableName: tableName,
        Key: keys.membership(caller_id, tenant_id),
        ConditionExpression: "#status = :active",
        ExpressionAttributeNames: { "#status": "status" },
        ExpressionAttributeValues: { ":active": "active" },
      },
    }),

    /** Fails if the tenant has as many service accounts as it may. */
    accountPlace: (key: ApiKey, max: number) => ({
      Update: {
        ...accountsOf(key),
        UpdateExpression: "SET #account = :now ADD accounts :one",
        ConditionExpression: "attribute_not_exists(#account) AND (attribute_not_exists(accounts) OR accounts < :max)",
        ExpressionAttributeValues: { ":now": key.created_at, ":one": 1, ":max": max },
      },
    }),

    leaveAccountPlace: (key: ApiKey) => ({
      Update: {
        ...accountsOf(key),
        UpdateExpression: "REMOVE #account ADD accounts :minus_one",
        ConditionExpression: "attribute_exists(#account)",
        ExpressionAttributeValues: { ":minus_one": -1 },
      },
    }),

    /**
     * Sets these attributes, or removes those that are undefined.
     * @param version that the key must have, and must not have been revoked at; none if it only must exist.
     */
    change(keyId: string, attributes: Record<string, unknown>, version?: number) {
      const names = Object.keys(attributes);
      const kept = names.filter((name) => attributes[name] !== undefined);
      const gone = names.filter((name) => attributes[name] === undefined);
      const sets = kept.map((name) => `#${name} = :${name}`).join(", ");
      const removes = gone.map((name) => `#${name}`).join(", ");
      const isPinned = version !== undefined;
      return {
        Update: {
          TableName: tableName,
          Key: keys.apiKey(keyId),
          UpdateExpression: [sets && `SET ${sets}`, removes && `REMOVE ${removes}`, "ADD #version :one"]
            .filter(Boolean)
            .join(" "),
          ConditionExpression: isPinned ? `${at(version)} AND #status = :good` : "attribute_exists(pk)",
          ExpressionAttributeNames: {
            "#version": "version",
            ...(isPinned && { "#status": "status" }),
            ...Object.fromEntries(names.map((name) => [`#${name}`, name])),
          },
          ExpressionAttributeValues: {
            ":one": 1,
            ...(isPinned && { ...was(version), ":good": "active" }),
            ...Object.fromEntries(kept.map((name) => [`:${name}`, attributes[name]])),
          },
        },
      };
    },

    /**
     * A revoked key stays as it is.
     * @param version that the key must have; none if it only must exist.
     */
    revoke: (keyId: string, now: number, version?: number) => ({
      Update: {
        TableName: tableName,
        Key: keys.apiKey(keyId),
        UpdateExpression: "SET #status = :revoked, revoked_at = if_not_exists(revoked_at, :now) ADD #version :one",
        ConditionExpression: version === undefined ? "attribute_exists(pk)" : at(version),
        ExpressionAttributeNames: { "#status": "status", "#version": "version" },
        ExpressionAttributeValues: {
          ...{ ":revoked": "revoked", ":now": new Date(now).toISOString(), ":one": 1 },
          ...(version !== undefined && was(version)),
        },
      },
    }),
  };
}

/** Whether the key has this version; 0 stands for a key that is older than versions. */
function at(version: number): string {
  return version === 0 ? "attribute_exists(pk) AND attribute_not_exists(#version)" : "#version = :was";
}

function was(version: number) {
  return version === 0 ? {} : { ":was": version };
}
