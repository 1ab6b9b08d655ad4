// The writes and conditions of which changes of API keys consist, each as an item of a transaction.
import type { ApiKey } from "../../../domain/access/api-key.ts";
import { membershipRecord } from "../people/user.record.ts";
import { absent, change, check, type Item, joined, present, put, setting, update, when } from "../write.ts";
import { apiKeyRecord } from "./api-key.record.ts";
import { itemOf } from "./key-record.ts";

export const keyPut = (key: ApiKey) => put(itemOf(key), absent);

/** Fails if the person is no active member of the tenant, so a removal at the same time leaves no active key behind. */
export const keyMembership = ({ tenant_id, caller_id }: ApiKey) =>
  check(membershipRecord.key({ sub: caller_id, tenant_id }), when`#status = ${"active"}`);

/**
 * Sets attributes, and removes those that are undefined.
 * @param version the version that the key must have without being revoked; if undefined, the key only has to exist
 */
export const keyChange = (keyId: string, attributes: Item, version?: number) =>
  update(
    apiKeyRecord.key({ key_id: keyId }),
    joined(setting(attributes), change`ADD #version ${1}`),
    version === undefined ? present : when`#version = ${version} AND #status = ${"active"}`,
  );

/**
 * A revoked key keeps the time of its revocation.
 * @param version the version that the key must have; if undefined, the key only has to exist
 */
export const keyRevocation = (keyId: string, now: number, version?: number) =>
  update(
    apiKeyRecord.key({ key_id: keyId }),
    change`SET #status = ${"revoked"}, revoked_at = if_not_exists(revoked_at, ${new Date(now).toISOString()}) ADD #version ${1}`,
    version === undefined ? present : when`#version = ${version}`,
  );
