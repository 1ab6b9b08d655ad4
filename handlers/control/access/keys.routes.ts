// The routes of API keys, as data.
import * as z from "zod";
import { apiKeyModes, apiKeySchema, apiKeyStatuses } from "../../../domain/access/api-key.ts";
import { apiKeyPatch } from "../../../domain/access/key-change.ts";
import { apiKeyBody } from "../../../domain/access/key-creation.ts";
import { apiKeyRotationBody } from "../../../domain/access/key-rotation.ts";
import { filteredPageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";

/** The text of a key begins with `ar_<mode>_<key_id>_` and ends with `last4`. */
const apiKey = apiKeySchema.omit({ hash: true }).extend({
  /** `expired`: past its end, for ever. */
  status: z.enum(apiKeyStatuses),
});

const usedKey = apiKey.extend({
  /** Time of the last finished call, to the minute. */
  last_used_at: z.iso.datetime().optional(),
});

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
    summary: "The workspace's API keys; for a developer, their own",
    query: filteredPageQuery({
      /** A person's sub or a service account's `sa_...`. */
      caller_id: z.string().min(1, "must not be empty").max(255, "must have at most 255 characters").optional(),
      status: z.enum(apiKeyStatuses, { error: () => `must be one of ${apiKeyStatuses.join(", ")}` }).optional(),
      mode: z.enum(apiKeyModes, { error: () => `must be one of ${apiKeyModes.join(", ")}` }).optional(),
    }),
    response: pageSchema(usedKey),
    example: { response: { data: [{ ...anExample, last_used_at: "2026-11-21T09:30:12.000Z" }] } },
  },
  getKey: {
    method: "GET",
    path: "/v1/keys/{key_id}",
    access: "member",
    versionedBy: "version",
    summary: "An API key; for a developer, their own",
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
    summary: "Create an API key, shown in this answer only",
    body: apiKeyBody,
    status: 201,
    response: apiKey.extend({ key: z.string() }),
    location: "/v1/keys/{key_id}",
    refusals: ["grant_missing"],
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
    summary: "Change a key's name, its end or, for all keys of a service account, the limits",
    body: apiKeyPatch,
    response: apiKey,
    refusals: ["conflict"],
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
    summary: "Create a key of the same caller, shown once; the old one ends after an overlap",
    body: apiKeyRotationBody,
    location: "/v1/keys/{key_id}",
    status: 201,
    response: apiKey.extend({
      key: z.string(),
      /** The old key and its end. */
      replaces: z.object({ key_id: z.string(), expires_at: z.iso.datetime() }),
    }),
    refusals: ["grant_missing"],
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
    summary: "Revoke an API key; a developer, their own",
    example: { parameters: { key_id: keyId } },
  },
} as const satisfies Record<string, Route>;
