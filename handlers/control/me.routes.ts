// Routes of the caller. Data only, nothing runs here.
import * as z from "zod";
import { membershipSchema, platformRoles, profileSchema, tenantRoles } from "../../domain/tenancy/user.ts";
import type { Route } from "./route.ts";

const me = z.object({
  sub: z.string(),
  email: profileSchema.shape.email.optional(),
  approval_status: profileSchema.shape.approval_status.optional(),
  platform_role: z.enum(platformRoles).optional(),
  /** The active workspace, which the next token will name. */
  tenant_id: z.uuid().optional(),
  tenant_role: z.enum(tenantRoles).optional(),
  memberships: z.array(membershipSchema.omit({ sub: true })),
});

export const meRoutes = {
  getMe: {
    method: "GET",
    path: "/v1/me",
    access: "signed_in",
    summary: "The caller, and the workspaces they belong to",
    status: 200,
    response: me,
    example: {
      response: {
        sub: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
        email: "ann@acme.test",
        approval_status: "approved",
        tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
        tenant_role: "owner",
        memberships: [
          {
            tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
            tenant_role: "owner",
            status: "active",
            created_at: "2026-11-21T05:00:00.000Z",
            activated_at: "2026-11-21T05:00:00.000Z",
          },
        ],
      },
    },
  },
} as const satisfies Record<string, Route>;
