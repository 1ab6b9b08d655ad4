// The routes of workspaces, as data.
import * as z from "zod";
import { maxSlugLength } from "../../../domain/workspace/slug.ts";
import { tenantSchema, tenantStatuses } from "../../../domain/workspace/tenant.ts";
import { suspensionBody, tenantBody, tenantPatch } from "../../../domain/workspace/tenant-body.ts";
import { tenantRoles } from "../../../domain/workspace/user.ts";
import { filteredPageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";

/** A workspace in answers: all fields of docs/specification.md, `null` until they have a value. */
const tenant = tenantSchema.omit({ capped_month: true }).extend({
  stripe_subscription_id: z.string().nullable().default(null),
  kms_cmk_arn: z.string().nullable().default(null),
  deleted_at: z.iso.datetime().nullable().default(null),
  monthly_cap_usd: z.number().nullable(),
  proxy_url: z.url(),
});
/** A workspace in a list of the caller's own, with their role. */
const listed = tenant.extend({ tenant_role: z.enum(tenantRoles).optional() });

const anExample = {
  tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
  name: "Acme Größe",
  slug: "acme-grosse",
  owner_sub: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
  stripe_subscription_id: null,
  tier: "starter",
  status: "active",
  has_payment_method: false,
  default_region: "eu-central-1",
  monthly_cap_usd: null,
  kms_cmk_arn: null,
  created_at: "2026-11-21T05:00:00.000Z",
  deleted_at: null,
  setup_state: { pending: [] },
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
    summary: "Create a workspace; the caller becomes its owner",
    body: tenantBody,
    status: 201,
    response: tenant,
    location: "/v1/tenants/{tenant_id}",
    refusals: ["approval_pending"],
    example: { body: { name: "Acme Größe", default_region: "eu-central-1" }, response: anExample },
  },
  getMyTenant: {
    method: "GET",
    path: "/v1/tenants/my",
    access: "signed_in",
    opener: "control:read",
    versionedBy: "version",
    summary: "The caller's active workspace, which may be another than a suspended choice",
    response: tenant,
    refusals: ["no_active_tenant", "tenant_suspended"],
    example: { response: anExample },
  },
  listTenants: {
    method: "GET",
    path: "/v1/tenants",
    access: "signed_in",
    opener: "control:read",
    summary: "The caller's workspaces; with a filter the search of the platform's own people",
    // A query with a filter is a search by the platform's administrators and support.
    query: filteredPageQuery({
      slug: z.string().min(1).max(maxSlugLength).optional(),
      email: z.string().min(3).max(254).optional(),
      status: z.enum(tenantStatuses, { error: () => `must be one of ${tenantStatuses.join(", ")}` }).optional(),
    }),
    response: pageSchema(listed),
    refusals: ["role_missing"],
    example: { response: { data: [{ ...anExample, tenant_role: "owner" }] } },
  },
  getTenant: {
    method: "GET",
    path: "/v1/tenants/{id}",
    access: "tenant_reader",
    opener: "control:read",
    versionedBy: "version",
    summary: "A workspace, for its owner and the platform's own people",
    response: tenant,
    example: { parameters, response: anExample },
  },
  patchTenant: {
    method: "PATCH",
    path: "/v1/tenants/{id}",
    access: "tenant_manager",
    versionedBy: "version",
    summary: "Change a workspace; a new name moves it to a new address",
    body: tenantPatch,
    response: tenant,
    refusals: ["role_missing", "conflict"],
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
    opener: "control:read",
    summary: "Work in this workspace: the next token of this app client names it",
    response: tenant,
    refusals: ["tenant_suspended"],
    example: { parameters, response: anExample },
  },
  suspendTenant: {
    method: "POST",
    path: "/v1/tenants/{id}/suspend",
    access: "platform_admin",
    versionedBy: "version",
    summary: "Suspend a workspace, with a reason that its owner reads",
    body: suspensionBody,
    response: tenant,
    refusals: ["conflict"],
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
    refusals: ["conflict"],
    example: { parameters, response: { ...anExample, version: 2 } },
  },
  deleteTenant: {
    method: "DELETE",
    path: "/v1/tenants/{id}",
    access: "tenant_owner",
    recentSignIn: true,
    openIn: "deleted",
    versionedBy: "version",
    summary: "Delete a workspace; it is purged 14 days later",
    refusals: ["conflict"],
    example: { parameters },
  },
  purgeTenant: {
    method: "DELETE",
    path: "/v1/tenants/{id}/purge",
    access: "platform_admin",
    recentSignIn: true,
    summary: "Purge a deleted workspace now, without waiting for the 14 days",
    status: 202,
    response: z.object({ tenant_id: z.uuid(), purges_at: z.iso.datetime() }),
    refusals: ["conflict"],
    example: { parameters, response: { tenant_id: anExample.tenant_id, purges_at: "2026-11-22T05:15:00.000Z" } },
  },
} as const satisfies Record<string, Route>;
