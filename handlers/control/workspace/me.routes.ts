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
    tenant_name: z.string().optional().describe("The workspace's name"),
    tenant_slug: z.string().optional().describe("The workspace's name in addresses"),
    tenant_status: tenantStatus.optional().describe("The workspace's status"),
  })
  .meta({ id: "Membership", description: "A workspace of the caller; without a status an invitation to one" });

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
    default_region: regionName.describe("The region of calls that name none"),
    workspace_capped: z
      .boolean()
      .describe(
        "True if the workspace's cap is reached: its calls are refused for the rest of the month unless the owner raises the cap",
      ),
  })
  .meta({ id: "Budget", description: "What is left of a month's budget, and what it is for" });

const me = z
  .object({
    user_id: z.string().describe("The caller's id, the `sub` of their tokens"),
    email: profileSchema.shape.email.optional().describe("The address with which the caller signs in"),
    approval_status: profileSchema.shape.approval_status
      .optional()
      .describe("`pending`: the caller waits for an administrator of the platform"),
    platform_role: platformRole.optional().describe("Set for the platform's own people"),
    tenant_id: z.uuid().optional().describe("The token's workspace, while the caller is an active member of it"),
    tenant_role: tenantRole.optional().describe("The caller's role in the token's workspace"),
    next_tenant_id: z
      .uuid()
      .optional()
      .describe(
        "The workspace that the next token will name. Where it is another one than `tenant_id`, a refresh of the token leads there",
      ),
    memberships: z.array(membership).describe("The caller's workspaces and invitations"),
    other_accounts: z
      .array(otherAccountSchema)
      .optional()
      .describe(
        "Accounts that have proved the caller's own proved address, too. Each has workspaces of its own; missing where there is none",
      ),
    budget: budget
      .optional()
      .describe(
        "The caller's budget in the token's workspace; missing without a workspace and for a member without a grant",
      ),
    free_credit: freeCreditSchema
      .optional()
      .describe(
        "What is left of the token's workspace's free credit; missing without a workspace, and where nobody pays",
      ),
    has_payment_method: z
      .boolean()
      .optional()
      .describe(
        "Whether the token's workspace has a payment method: without one the free credit is all there is. Missing likewise",
      ),
  })
  .meta({ id: "Me", description: "The caller" });

export const meRoutes = {
  signOutEverywhere: {
    method: "POST",
    path: "/v1/me/sign-out-everywhere",
    access: "signed_in",
    asksOutside: true,
    summary: "End all sign-ins of the caller: refresh tokens at once, others within a minute",
    example: {},
  },
  acceptInvitation: {
    method: "POST",
    path: "/v1/me/invitations/{id}/accept",
    access: "signed_in",
    summary: "Accept an invitation; the caller goes on in their present workspace",
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
    summary: "The caller, their workspaces, and what is left of the own budget",
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
