// Every operation of the control plane: method, path, who may, what goes in and what comes out. Data only, nothing runs here.
import * as z from "zod";
import { apiKeyBody, apiKeySchema } from "../../domain/access/api-key.ts";
import { grantBody, grantRecordSchema } from "../../domain/access/grant.ts";
import { pageQuery, pageSchema } from "../../domain/page.ts";
import { tenantBody, tenantSchema } from "../../domain/tenancy/tenant.ts";
import { membershipSchema, platformRoles, profileSchema, roles } from "../../domain/tenancy/user.ts";

/** `signed_in`: anyone with a token. `member`, `owner`: by the membership in the token's tenant. */
export type Access = "signed_in" | "member" | "owner";

export type Route = {
  method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  path: `/v1/${string}`;
  access: Access;
  summary: string;
  query?: z.ZodType;
  body?: z.ZodType;
  /** Of success; 204 has no response. */
  status: 200 | 201 | 204;
  /** What is not in it does not leave. */
  response?: z.ZodType;
};

const tenant = tenantSchema.extend({ proxy_url: z.url() });
const apiKey = apiKeySchema.omit({ hash: true });

const me = z.object({
  sub: z.string(),
  email: profileSchema.shape.email.optional(),
  approval_status: profileSchema.shape.approval_status.optional(),
  platform_role: z.enum(platformRoles).optional(),
  /** The active workspace, which the next token will name. */
  tenant_id: z.uuid().optional(),
  tenant_role: z.enum(roles).optional(),
  memberships: z.array(membershipSchema.omit({ sub: true })),
});

export const routes = {
  getMe: {
    method: "GET",
    path: "/v1/me",
    access: "signed_in",
    summary: "The caller, and the workspaces they belong to",
    status: 200,
    response: me,
  },
  createTenant: {
    method: "POST",
    path: "/v1/tenants",
    access: "signed_in",
    summary: "Create a workspace; the caller becomes its owner",
    body: tenantBody,
    status: 201,
    response: tenant,
  },
  getMyTenant: {
    method: "GET",
    path: "/v1/tenants/my",
    access: "signed_in",
    summary: "The caller's active workspace",
    status: 200,
    response: tenant,
  },
  listGrants: {
    method: "GET",
    path: "/v1/grants",
    access: "member",
    summary: "The workspace's grants; for a developer, their own",
    query: pageQuery,
    status: 200,
    response: pageSchema(grantRecordSchema),
  },
  getGrant: {
    method: "GET",
    path: "/v1/grants/{dev_sub}",
    access: "member",
    summary: "A person's grant; for a developer, their own",
    status: 200,
    response: grantRecordSchema,
  },
  putGrant: {
    method: "PUT",
    path: "/v1/grants/{dev_sub}",
    access: "owner",
    summary: "Create or replace a person's grant",
    body: grantBody,
    status: 200,
    response: grantRecordSchema,
  },
  deleteGrant: {
    method: "DELETE",
    path: "/v1/grants/{dev_sub}",
    access: "owner",
    summary: "Revoke a person's grant",
    status: 204,
  },
  listKeys: {
    method: "GET",
    path: "/v1/keys",
    access: "member",
    summary: "The workspace's API keys; for a developer, their own",
    query: pageQuery,
    status: 200,
    response: pageSchema(apiKey),
  },
  createKey: {
    method: "POST",
    path: "/v1/keys",
    access: "member",
    summary: "Create an API key, shown in this answer only",
    body: apiKeyBody,
    status: 201,
    response: apiKey.extend({ key: z.string() }),
  },
  revokeKey: {
    method: "DELETE",
    path: "/v1/keys/{key_id}",
    access: "member",
    summary: "Revoke an API key; a developer, their own",
    status: 204,
  },
} as const satisfies Record<string, Route>;
