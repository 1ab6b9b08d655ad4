// The routes of API keys, as data.
import * as z from "zod";
import { apiKeyMode, apiKeySchema, apiKeyStatus } from "../../../domain/access/api-key.ts";
import { apiKeyPatch } from "../../../domain/keys/key-change.ts";
import { apiKeyBody } from "../../../domain/keys/key-creation.ts";
import { apiKeyRotationBody } from "../../../domain/keys/key-rotation.ts";
import { exportedPageQuery, idList, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";
import { writtenBy } from "../routing/writers.ts";

const apiKey = apiKeySchema
  .omit({ hash: true })
  .extend({
    status: apiKeyStatus.describe("Status of the key. `expired`: its expiry has passed, which cannot be undone"),
  })
  .meta({ id: "ApiKey", description: "An API key, without its text" });

const usedKey = apiKey
  .extend({
    last_used_at: z.iso
      .datetime()
      .optional()
      .describe("When the last finished call with the key arrived, to the minute"),
  })
  .meta({ id: "ApiKeyWithUse", description: "An API key, with its last use" });

const text = z.string().describe("Text of the key. No other answer contains it");

const createdKey = apiKey
  .extend({ key: text })
  .meta({ id: "CreatedApiKey", description: "A new API key, with its text" });

const rotatedKey = apiKey
  .extend({
    key: text,
    replaces: z
      .object({
        key_id: z.string().describe("Id of the old key"),
        expires_at: z.iso.datetime().describe("When the old key ends"),
      })
      .meta({ id: "ReplacedApiKey", description: "A rotated key, and when it ends" }),
  })
  .meta({ id: "RotatedApiKey", description: "A new API key with its text, and when the old key ends" });

const keyId = "4Tn9qXw2LbZc";

const anExample = {
  key_id: keyId,
  tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
  name: "Laptop",
  mode: "live",
  last4: "h2Kd",
  role: "developer",
  caller_id: "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c",
  scope: "proxy:invoke",
  status: "active",
  created_by: "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c",
  created_at: "2026-11-21T05:00:00.000Z",
  version: 1,
};

export const keyRoutes = {
  listKeys: {
    method: "GET",
    path: "/v1/keys",
    access: "member",
    summary: "List the workspace's API keys. A developer sees only their own keys",
    query: exportedPageQuery({
      key_id: idList("keys"),
      caller_id: z
        .string()
        .min(1, "must not be empty")
        .max(255, "must have at most 255 characters")
        .optional()
        .describe("Only keys of this caller: a person's `user_id`, or a service account's `sa_...`"),
      status: apiKeyStatus.optional().describe("Only keys of this status"),
      mode: apiKeyMode.optional().describe("Only keys of this mode"),
      needs_care: z
        .enum(["true", "false"], { error: () => "must be true or false" })
        .default("false")
        .transform((text) => text === "true")
        .describe(
          "`true`: only active keys that never expire or that were not used for 90 days. A page can have fewer entries than `limit`",
        ),
    }),
    response: pageSchema(usedKey),
    csv: Object.keys(usedKey.shape),
    example: { response: { data: [{ ...anExample, last_used_at: "2026-11-21T09:30:12.000Z" }] } },
  },
  getKey: {
    method: "GET",
    path: "/v1/keys/{key_id}",
    access: "member",
    versionedBy: "version",
    summary: "Get an API key. A developer can get only their own keys",
    response: usedKey,
    example: {
      parameters: { key_id: keyId },
      response: { ...anExample, last_used_at: "2026-11-21T09:30:12.000Z" },
    },
  },
  createKey: {
    method: "POST",
    path: "/v1/keys",
    access: "member",
    idempotent: true,
    answer: "shown_once",
    versionedBy: "version",
    summary: "Create an API key. Only this answer contains its text",
    body: writtenBy(apiKeyBody, {
      name: "caller",
      kind: { personal: "caller", service_account: "owner" },
      mode: "caller",
      expires_at: "caller",
      grant: "owner",
    }),
    status: 201,
    response: createdKey,
    location: "/v1/keys/{key_id}",
    refusals: ["grant_missing", "key_limit_reached", "service_account_limit_reached"],
    example: {
      body: { name: "Laptop" },
      response: { ...anExample, key: "ar_live_4Tn9qXw2LbZc_<secret and checksum, 38 characters>" },
    },
  },
  updateKey: {
    method: "PATCH",
    path: "/v1/keys/{key_id}",
    access: "member",
    versionedBy: "version",
    summary: "Change a key's name or expiry, or the limits of all keys of a service account",
    body: writtenBy(apiKeyPatch, { name: "caller", expires_at: "caller", grant: "owner" }),
    response: apiKey,
    refusals: ["key_ended", "changed_meanwhile"],
    example: {
      parameters: { key_id: keyId },
      body: { name: "Old laptop", expires_at: "2027-01-31T12:00:00.000Z" },
      response: { ...anExample, name: "Old laptop", expires_at: "2027-01-31T12:00:00.000Z", version: 2 },
    },
  },
  rotateKey: {
    method: "POST",
    path: "/v1/keys/{key_id}/rotate",
    access: "member",
    idempotent: true,
    answer: "shown_once",
    versionedBy: "version",
    summary:
      "Create a successor of a key, for the same caller. Only this answer contains its text. The old key ends after an overlap",
    body: writtenBy(apiKeyRotationBody, { overlap_seconds: "caller", expires_at: "caller" }),
    location: "/v1/keys/{key_id}",
    status: 201,
    response: rotatedKey,
    refusals: ["grant_missing", "key_ended", "key_replaced", "key_limit_reached", "changed_meanwhile"],
    example: {
      parameters: { key_id: "9Zb3kPq7RtWm" },
      body: { overlap_seconds: 3600 },
      response: {
        ...anExample,
        key: "ar_live_4Tn9qXw2LbZc_<secret and checksum, 38 characters>",
        replaces: { key_id: "9Zb3kPq7RtWm", expires_at: "2026-11-21T06:00:00.000Z" },
      },
    },
  },
  revokeKey: {
    method: "DELETE",
    path: "/v1/keys/{key_id}",
    access: "member",
    versionedBy: "version",
    openIn: "suspended",
    summary: "Revoke an API key, which is refused within 60 seconds. A developer can revoke only their own keys",
    example: { parameters: { key_id: keyId } },
  },
} as const satisfies Record<string, Route>;
