// The routes of the caller, as data.
import * as z from "zod";
import { regionName } from "../../../domain/catalog/region-name.ts";
import { membershipSchema, otherAccountSchema, profileSchema, tenantRole } from "../../../domain/people/user.ts";
import { freeCreditSchema } from "../../../domain/reporting/free-credit.ts";
import { monthBudgetSchema } from "../../../domain/reporting/month-budget.ts";
import { platformRole } from "../../../domain/workspace/platform-role.ts";
import { tenantStatus } from "../../../domain/workspace/tenant.ts";
import type { Route } from "../routing/route.ts";

/** The workspace as its members and invited people see it. */
const membership = membershipSchema
  .omit({ sub: true, email: true, mailed_at: true, invitation_id: true, made_account: true, password_mailed: true })
  .extend({
    tenant_name: z.string().optional().describe("Name of the workspace"),
    tenant_slug: z.string().optional().describe("Name of the workspace in addresses"),
    tenant_status: tenantStatus.optional().describe("Status of the workspace"),
  })
  .meta({
    id: "Membership",
    description: "A workspace of the caller. Without `status` it is an invitation that waits for an answer",
  });

const tenantId = "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d";

const aMembership = {
  tenant_id: tenantId,
  tenant_role: "developer",
  status: "active",
  created_at: "2026-11-21T05:00:00.000Z",
  invited_at: "2026-11-21T05:00:00.000Z",
  activated_at: "2026-11-21T05:10:00.000Z",
  invited_by: "ann@acme.test",
  tenant_name: "Acme Größe",
  tenant_slug: "acme-grosse",
  tenant_status: "active",
};

const budget = monthBudgetSchema
  .extend({
    models: z.array(z.string()).describe("Models that the caller may call"),
    regions: z.array(regionName).describe("Regions that the caller's calls may ask for"),
    default_region: regionName.describe("Region of calls that name no region"),
    workspace_capped: z
      .boolean()
      .describe(
        "True if the workspace has reached its monthly cap. Calls are then refused for the rest of the month, unless the owner raises the cap",
      ),
  })
  .meta({
    id: "Budget",
    description: "Remaining budget of the month, and the models and regions that it can be used for",
  });

const me = z
  .object({
    user_id: z.string().describe("Id of the caller: the `sub` of their tokens"),
    email: profileSchema.shape.email.optional().describe("E-mail address with which the caller signs in"),
    approval_status: profileSchema.shape.approval_status
      .optional()
      .describe("Whether the caller may create workspaces. `pending`: the caller waits for a platform administrator"),
    platform_role: platformRole
      .optional()
      .describe("Platform role of the caller. Missing for people who are not platform staff"),
    tenant_id: z
      .uuid()
      .optional()
      .describe("Id of the token's workspace. Missing if the caller is not an active member of it"),
    tenant_role: tenantRole.optional().describe("Role of the caller in the token's workspace"),
    next_tenant_id: z
      .uuid()
      .optional()
      .describe(
        "Id of the workspace that the caller's next token will name. If it differs from `tenant_id`, refresh the token to change to it",
      ),
    memberships: z.array(membership).describe("The caller's workspaces and invitations"),
    other_accounts: z
      .array(otherAccountSchema)
      .optional()
      .describe(
        "Other accounts with the caller's e-mail address, if both accounts have proved it. Each account has its own workspaces. Missing if there are no other accounts",
      ),
    budget: budget
      .optional()
      .describe(
        "Budget of the caller in the token's workspace. Missing without a workspace, and for a member without a grant",
      ),
    free_credit: freeCreditSchema
      .optional()
      .describe("Free credit of the token's workspace. Missing without a workspace, and if the platform does not bill"),
    has_payment_method: z
      .boolean()
      .optional()
      .describe(
        "Whether the token's workspace has a payment method. Without a payment method it can use only its free credit. Missing without a workspace, and if the platform does not bill",
      ),
  })
  .meta({ id: "Me", description: "The caller, with their workspaces and budget" });

export const meRoutes = {
  signOutEverywhere: {
    method: "POST",
    path: "/v1/me/sign-out-everywhere",
    access: "signed_in",
    asksOutside: true,
    summary: "End all sign-ins of the caller. Refresh tokens end at once, other tokens within one minute",
    example: {},
  },
  acceptInvitation: {
    method: "POST",
    path: "/v1/me/invitations/{id}/accept",
    access: "signed_in",
    summary: "Accept an invitation. The caller's current workspace does not change",
    response: membership,
    refusals: ["address_unproven"],
    example: { parameters: { id: tenantId }, response: aMembership },
  },
  declineInvitation: {
    method: "POST",
    path: "/v1/me/invitations/{id}/decline",
    access: "signed_in",
    summary: "Decline an invitation to a workspace",
    refusals: ["already_member"],
    example: { parameters: { id: tenantId } },
  },
  getMe: {
    method: "GET",
    path: "/v1/me",
    access: "signed_in",
    openers: ["control:read", "skills:rw", "skills:invoke"],
    summary: "Get the caller, their workspaces and their remaining budget",
    response: me,
    example: {
      response: {
        user_id: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
        email: "ann@acme.test",
        approval_status: "approved",
        tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
        tenant_role: "owner",
        next_tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
        memberships: [
          {
            tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
            tenant_role: "owner",
            status: "active",
            created_at: "2026-11-21T05:00:00.000Z",
            activated_at: "2026-11-21T05:00:00.000Z",
            tenant_name: "Acme Größe",
            tenant_slug: "acme-grosse",
            tenant_status: "active",
          },
        ],
        budget: {
          month: "2026-11",
          spent_usd: 12.5,
          reserved_usd: 0.11,
          limit_usd: 50,
          left_usd: 37.39,
          resets_at: "2026-12-01T00:00:00.000Z",
          models: ["claude-sonnet-4-6"],
          regions: ["eu-central-1"],
          default_region: "eu-central-1",
          workspace_capped: false,
        },
        free_credit: { granted_tokens: 1_000_000, spent_tokens: 250_000, left_tokens: 750_000 },
      },
    },
  },
} as const satisfies Record<string, Route>;
