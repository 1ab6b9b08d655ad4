// Routes of workspaces. Data only, nothing runs here.
import * as z from "zod";
import { tenantSchema } from "../../domain/tenancy/tenant.ts";
import { tenantBody } from "../../domain/tenancy/tenant-body.ts";
import type { Route } from "./route.ts";

/** As it is shown: all fields of the specification, `null` until they are known. */
const tenant = tenantSchema.extend({
  stripe_subscription_id: z.string().nullable().default(null),
  kms_cmk_arn: z.string().nullable().default(null),
  deleted_at: z.iso.datetime().nullable().default(null),
  proxy_url: z.url(),
});

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
  kms_cmk_arn: null,
  created_at: "2026-11-21T05:00:00.000Z",
  deleted_at: null,
  setup_state: { pending: [] },
  proxy_url: "https://acme-grosse.proxy.example.com/vendor/v1",
};

export const tenantRoutes = {
  createTenant: {
    method: "POST",
    path: "/v1/tenants",
    access: "signed_in",
    idempotent: true,
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
    summary: "The caller's active workspace",
    status: 200,
    response: tenant,
    refusals: ["no_active_tenant"],
    example: { response: anExample },
  },
} as const satisfies Record<string, Route>;
