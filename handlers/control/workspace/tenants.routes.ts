// The routes of workspaces, as data.
import * as z from "zod";
import { fields } from "../../../domain/kernel/validation.ts";
import { tenantRole } from "../../../domain/people/user.ts";
import { maxSlugLength } from "../../../domain/workspace/slug.ts";
import { tenantSchema, tenantStatus } from "../../../domain/workspace/tenant.ts";
import { suspensionBody, tenantBody, tenantName, tenantPatch } from "../../../domain/workspace/tenant-body.ts";
import { filteredPageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";
import { writtenBy } from "../routing/writers.ts";

const hidden = {
  ...({ capped_month: true, stripe_customer_id: true, billing_slot: true, purge_requested_by: true } as const),
  ...({ unexplained_month: true, billing_emails: true, purchase_order: true } as const),
};

/** A workspace in answers, with all fields of docs/specification.md once they have a value. */
const tenant = tenantSchema
  .omit(hidden)
  .extend({
    version: z.int().default(0).describe("Version of the workspace: the number of changes since its creation"),
    proxy_url: z.url().describe("Base address of the workspace's model proxy"),
  })
  .meta({ id: "Tenant", description: "A workspace" });

const listed = tenant
  .extend({ tenant_role: tenantRole.describe("Role of the caller in the workspace") })
  .meta({ id: "ListedTenant", description: "A workspace of the caller, with the caller's role" });

const found = tenant
  .pick({ tenant_id: true, name: true, slug: true, status: true, created_at: true, proxy_url: true })
  .meta({
    id: "FoundTenant",
    description:
      "A workspace in a search by platform staff. Everything else about it needs a read of the workspace, which its audit trail records",
  });

const purge = z
  .object({
    tenant_id: z.uuid().describe("Id of the workspace"),
    purges_at: z.iso.datetime().describe("When the workspace will be purged"),
  })
  .meta({ id: "Purge", description: "When a workspace will be purged" });

const address = z
  .object({
    slug: tenant.shape.slug,
    proxy_url: tenant.shape.proxy_url,
    is_free: z.boolean().describe("Whether the address is free now. Another workspace can still take it before yours"),
  })
  .meta({ id: "Address", description: "The address that a workspace's name would give" });

const anExample = {
  tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
  name: "Acme Größe",
  slug: "acme-grosse",
  owner_sub: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
  tier: "starter",
  status: "active",
  has_payment_method: false,
  default_region: "eu-central-1",
  created_at: "2026-11-21T05:00:00.000Z",
  setup_state: { pending: [] },
  version: 0,
  proxy_url: "https://acme-grosse.proxy.example.com/vendor/v1",
};

const parameters = { id: anExample.tenant_id };
const aSuspension = { suspended_reason: "Unpaid invoices", suspended_at: "2026-11-22T05:00:00.000Z" };

export const tenantRoutes = {
  createTenant: {
    method: "POST",
    path: "/v1/tenants",
    access: "signed_in",
    idempotent: true,
    versionedBy: "version",
    summary: "Create a workspace. The caller becomes its owner",
    body: writtenBy(tenantBody, "caller"),
    status: 201,
    response: tenant,
    location: "/v1/tenants/{tenant_id}",
    refusals: [
      ...(["approval_pending", "slug_taken", "workspace_limit_reached", "purge_running"] as const),
      ...(["changed_meanwhile", "workspace_incomplete"] as const),
    ],
    example: { body: { name: "Acme Größe", default_region: "eu-central-1" }, response: anExample },
  },
  getMyTenant: {
    method: "GET",
    path: "/v1/tenants/my",
    access: "signed_in",
    openers: ["control:read"],
    versionedBy: "version",
    summary:
      "Get the caller's active workspace. While the chosen workspace is suspended, another workspace can be active",
    response: tenant,
    refusals: ["no_active_tenant", "tenant_suspended"],
    example: { response: anExample },
  },
  listTenants: {
    method: "GET",
    path: "/v1/tenants",
    access: "signed_in",
    openers: ["control:read"],
    summary: "List the caller's workspaces. With a filter: search all workspaces, as platform staff",
    // A query with a filter is a search by the platform's administrators and support.
    query: filteredPageQuery({
      slug: z
        .string()
        .min(1, `must have 1 to ${maxSlugLength} characters`)
        .max(maxSlugLength, `must have 1 to ${maxSlugLength} characters`)
        .optional()
        .describe("For platform staff: the workspace with this address"),
      email: z
        .string()
        .min(3, "must have 3 to 254 characters")
        .max(254, "must have 3 to 254 characters")
        .optional()
        .describe("For platform staff: the workspaces of the owner with this e-mail address"),
      status: tenantStatus.optional().describe("For platform staff: all workspaces with this status"),
    }),
    response: pageSchema(z.union([listed, found]).meta({ id: "TenantInList", description: "A workspace in a list" })),
    refusals: ["role_missing"],
    example: { response: { data: [{ ...anExample, tenant_role: "owner" }] } },
  },
  previewAddress: {
    method: "GET",
    path: "/v1/tenants/address",
    access: "signed_in",
    summary: "Get the address that a workspace with this name would get, and whether it is free",
    query: fields({ name: tenantName.describe("Name of a workspace, for people") }),
    response: address,
    example: {
      query: { name: anExample.name },
      response: { slug: anExample.slug, proxy_url: anExample.proxy_url, is_free: true },
    },
  },
  getTenant: {
    method: "GET",
    path: "/v1/tenants/{id}",
    access: "tenant_reader",
    openers: ["control:read"],
    versionedBy: "version",
    summary: "Get a workspace, as its owner or as platform staff",
    response: tenant,
    example: { parameters, response: anExample },
  },
  patchTenant: {
    method: "PATCH",
    path: "/v1/tenants/{id}",
    access: "tenant_manager",
    versionedBy: "version",
    summary: "Change a workspace. A new name gives it a new address",
    body: writtenBy(tenantPatch, {
      name: "caller",
      default_region: "caller",
      monthly_cap_usd: "caller",
      browser_origins: "caller",
      tier: "platform_admin",
    }),
    response: tenant,
    refusals: ["role_missing", "slug_taken", "changed_meanwhile"],
    example: {
      parameters,
      body: { default_region: "eu-central-1", monthly_cap_usd: 200 },
      response: { ...anExample, monthly_cap_usd: 200, version: 1 },
    },
  },
  activateTenant: {
    method: "POST",
    path: "/v1/tenants/{id}/activate",
    access: "signed_in",
    openers: ["control:read", "skills:rw", "skills:invoke"],
    summary: "Make this the caller's active workspace: the next token of this app client names it",
    response: tenant,
    refusals: ["tenant_suspended"],
    example: { parameters, response: anExample },
  },
  suspendTenant: {
    method: "POST",
    path: "/v1/tenants/{id}/suspend",
    access: "platform_admin",
    versionedBy: "version",
    summary: "Suspend a workspace. The owner can read the reason",
    body: writtenBy(suspensionBody, "platform_admin"),
    response: tenant,
    refusals: ["workspace_deleted", "changed_meanwhile"],
    example: {
      parameters,
      body: { reason: aSuspension.suspended_reason },
      response: { ...anExample, status: "suspended", ...aSuspension, version: 1 },
    },
  },
  resumeTenant: {
    method: "POST",
    path: "/v1/tenants/{id}/resume",
    access: "platform_admin",
    versionedBy: "version",
    summary: "End the suspension of a workspace",
    response: tenant,
    refusals: ["workspace_deleted", "changed_meanwhile"],
    example: { parameters, response: { ...anExample, version: 2 } },
  },
  deleteTenant: {
    method: "DELETE",
    path: "/v1/tenants/{id}",
    access: "tenant_owner",
    recentSignIn: true,
    openIn: "deleted",
    versionedBy: "version",
    summary: "Delete a workspace. It is purged 14 days later",
    refusals: ["changed_meanwhile"],
    example: { parameters },
  },
  purgeTenant: {
    method: "DELETE",
    path: "/v1/tenants/{id}/purge",
    access: "platform_admin",
    recentSignIn: true,
    summary: "Purge a deleted workspace now, without waiting for the 14 days",
    status: 202,
    response: purge,
    refusals: ["workspace_not_deleted", "changed_meanwhile"],
    example: { parameters, response: { tenant_id: anExample.tenant_id, purges_at: "2026-11-22T05:15:00.000Z" } },
  },
} as const satisfies Record<string, Route>;
