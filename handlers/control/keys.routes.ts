// Routes of API keys. Data only, nothing runs here.
import * as z from "zod";
import { apiKeyBody, apiKeySchema } from "../../domain/access/api-key.ts";
import { pageQuery, pageSchema } from "../../domain/page.ts";
import type { Route } from "./route.ts";

const apiKey = apiKeySchema.omit({ hash: true });

const key_id = "4Tn9qXw2LbZc";

const anExample = {
  key_id,
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
};

export const keyRoutes = {
  listKeys: {
    method: "GET",
    path: "/v1/keys",
    access: "member",
    summary: "The workspace's API keys; for a developer, their own",
    query: pageQuery,
    status: 200,
    response: pageSchema(apiKey),
    example: { response: { data: [anExample] } },
  },
  createKey: {
    method: "POST",
    path: "/v1/keys",
    access: "member",
    idempotent: true,
    answer: "shown_once",
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
  revokeKey: {
    method: "DELETE",
    path: "/v1/keys/{key_id}",
    access: "member",
    summary: "Revoke an API key; a developer, their own",
    status: 204,
    example: { parameters: { key_id } },
  },
} as const satisfies Record<string, Route>;
