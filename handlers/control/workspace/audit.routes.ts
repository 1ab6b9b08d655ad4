// The routes of the audit trail, as data.
import * as z from "zod";
import { auditEntrySchema, platformTrail } from "../../../domain/workspace/audit.ts";
import { exportedPageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";

const time = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 time, e.g. 2026-11-21T05:00:00Z" })
  .transform((text) => new Date(text).toISOString())
  // Conversion to UTC can lead to a year that does not have four digits.
  .refine((text) => /^\d{4}-/.test(text), "must be in the years 0000 to 9999")
  .optional();

const query = exportedPageQuery({
  actor: z
    .string()
    .min(1, "must not be empty")
    .max(255, "must have at most 255 characters")
    .optional()
    .describe("Only changes by this actor: a person's `user_id`, or the name of a function"),
  action: z
    .string()
    .min(1, "must not be empty")
    .max(64, "must have at most 64 characters")
    .optional()
    .describe("Only changes of this kind, e.g. `grant.put`"),
  target: z
    .string()
    .min(1, "must not be empty")
    .max(255, "must have at most 255 characters")
    .optional()
    .describe("Only changes of the record with this id, e.g. a `user_id`, a `key_id` or a `tenant_id`"),
  from: time.describe("Only changes at or after this time"),
  to: time.describe("Only changes before this time"),
});

const entry = auditEntrySchema
  .extend({
    actor_email: z
      .string()
      .optional()
      .describe(
        "Current e-mail address of the actor, as long as the account exists. Only the platform's staff sees addresses of its own members",
      ),
    target_email: z.string().optional().describe("Current e-mail address of the person who was changed"),
  })
  .meta({ id: "AuditEntry", description: "A change of a workspace, or a look at it by the platform's staff" });
const response = pageSchema(entry);
const csv = Object.keys(entry.shape);

const aChange = {
  audit_id: "0b7f1c1e-2b52-4a7c-9a3d-0f4a5f6b7c8d",
  tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
  at: "2026-11-21T05:00:00.000Z",
  actor: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
  actor_email: "ann@acme.test",
  action: "tenant.update",
  target: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
  before: { name: "Acme" },
  after: { name: "Acme Größe" },
};
const anApproval = {
  ...aChange,
  tenant_id: platformTrail,
  actor_email: "root@archway.test",
  actor_role: "platform_admin",
  action: "user.approve",
  target: "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c",
  before: { approval_status: "pending" },
  after: { approval_status: "approved" },
};

export const auditRoutes = {
  listAudit: {
    method: "GET",
    path: "/v1/audit",
    access: "owner",
    summary: "List who changed what in the workspace, newest first",
    query,
    response,
    csv,
    example: { response: { data: [aChange] } },
  },
  listPlatformAudit: {
    method: "GET",
    path: "/v1/audit/platform",
    access: "platform_admin",
    summary: "List sign-ups, and what the platform's staff changed and read, newest first",
    query,
    response,
    csv,
    example: { response: { data: [anApproval] } },
  },
  listTenantAudit: {
    method: "GET",
    path: "/v1/tenants/{id}/audit",
    access: "platform_admin",
    summary:
      "List the changes of any workspace, as a platform administrator. Also works after the workspace was purged",
    query,
    response,
    csv,
    example: { parameters: { id: aChange.tenant_id }, response: { data: [aChange] } },
  },
} as const satisfies Record<string, Route>;
