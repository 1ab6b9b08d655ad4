// The writes and conditions of which changes of API keys consist, each as an item of a transaction.
import type { ApiKey } from "../../../domain/access/api-key.ts";
import { absent, setting } from "../rows.ts";
import { keys } from "../schema.ts";
import { itemOf } from "./key-record.ts";

export const keyPut = (key: ApiKey) => ({ Put: { Item: itemOf(key), ...absent } });

/** Fails if the person is no active member of the tenant, so a removal at the same time leaves no active key behind. */
export const keyMembership = ({ tenant_id, caller_id }: ApiKey) => ({
  ConditionCheck: {
    Key: keys.membership(caller_id, tenant_id),
    ConditionExpression: "#status = :active",
    ExpressionAttributeNames: { "#status": "status" },
    ExpressionAttributeValues: { ":active": "active" },
  },
});

/**
 * Sets attributes, and removes those that are undefined.
 * @param version the version that the key must have without being revoked; if undefined, the key only has to exist
 */
export function keyChange(keyId: string, attributes: Record<string, unknown>, version?: number) {
  const isPinned = version !== undefined;
  const { UpdateExpression, ExpressionAttributeNames, ExpressionAttributeValues } = setting(attributes);
  return {
    Update: {
      Key: keys.apiKey(keyId),
      UpdateExpression: `${UpdateExpression} ADD #version :one`,
      ConditionExpression: isPinned ? `${at(version)} AND #status = :good` : "attribute_exists(pk)",
      ExpressionAttributeNames: {
        "#version": "version",
        ...(isPinned && { "#status": "status" }),
        ...ExpressionAttributeNames,
      },
      ExpressionAttributeValues: {
        ":one": 1,
        ...(isPinned && { ...was(version), ":good": "active" }),
        ...ExpressionAttributeValues,
      },
    },
  };
}

/**
 * A revoked key keeps the time of its revocation.
 * @param version the version that the key must have; if undefined, the key only has to exist
 */
export const keyRevocation = (keyId: string, now: number, version?: number) => ({
  Update: {
    Key: keys.apiKey(keyId),
    UpdateExpression: "SET #status = :revoked, revoked_at = if_not_exists(revoked_at, :now) ADD #version :one",
    ConditionExpression: version === undefined ? "attribute_exists(pk)" : at(version),
    ExpressionAttributeNames: { "#status": "status", "#version": "version" },
    ExpressionAttributeValues: {
      ...{ ":revoked": "revoked", ":now": new Date(now).toISOString(), ":one": 1 },
      ...(version !== undefined && was(version)),
    },
  },
});

/** The condition that the key has this version. 0 stands for a key that was created before keys had versions. */
function at(version: number): string {
  return version === 0 ? "attribute_exists(pk) AND attribute_not_exists(#version)" : "#version = :was";
}

function was(version: number) {
  return version === 0 ? {} : { ":was": version };
}
