// Routes of the audit trail. Data only, nothing runs here.
import * as z from "zod";
import { filteredPageQuery, pageSchema } from "../../domain/page.ts";
import { auditEntrySchema } from "../../domain/tenancy/audit.ts";
import type { Route } from "./route.ts";

const time = z.iso
  .datetime({ offset: true, error: "must be an ISO 8601 time, e.g. 2026-11-21T05:00:00Z" })
  .transform((text) => new Date(text).toISOString())
  .optional();

export const auditRoutes = {
  listAudit: {
    method: "GET",
    path: "/v1/audit",
    access: "owner",
    summary: "Who changed what in the workspace, newest first",
    query: filteredPageQuery({
      actor: z.string().min(1).max(255).optional(),
      action: z.string().min(1).max(64).optional(),
      from: time,
      to: time,
    }),
    status: 200,
    response: pageSchema(auditEntrySchema),
    example: {
      response: {
        data: [
          {
            audit_id: "0b7f1c1e-2b52-4a7c-9a3d-0f4a5f6b7c8d",
            tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
            at: "2026-11-21T05:00:00.000Z",
            actor: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
            action: "tenant.update",
            target: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
            before: { name: "Acme" },
            after: { name: "Acme Größe" },
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Route>;
