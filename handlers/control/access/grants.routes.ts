// The routes of grants, as data.
import { grantBody, grantRecordSchema } from "../../../domain/access/grant.ts";
import { monthSpendingSchema } from "../../../domain/reporting/month-budget.ts";
import { pageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";
import { writtenBy } from "../routing/writers.ts";

const devSub = "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c";

const limits = {
  allowed_models: ["claude-sonnet-4-6"],
  allowed_regions: ["eu-central-1"],
  monthly_budget_usd: 50,
};

const anExample = {
  tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
  dev_sub: devSub,
  ...limits,
  budget_enforcement: "reserved",
  allow_global_profiles: false,
  updated_at: "2026-11-21T05:00:00.000Z",
  updated_by: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
};

const grant = grantRecordSchema.meta({
  id: "Grant",
  description: "What a person may use: models, regions, rate and budget",
});

const grantWithSpending = grantRecordSchema
  .extend(monthSpendingSchema.shape)
  .meta({ id: "GrantWithSpending", description: "A grant, with the person's spending of this month" });

export const grantRoutes = {
  listGrants: {
    method: "GET",
    path: "/v1/grants",
    access: "member",
    summary: "List the workspace's grants, with the spending of this month. A developer sees only their own grant",
    query: pageQuery,
    response: pageSchema(grantWithSpending),
    example: {
      response: {
        data: [{ ...anExample, spent_usd: 12.5, reserved_usd: 0.11, resets_at: "2026-12-01T00:00:00.000Z" }],
      },
    },
  },
  getGrant: {
    method: "GET",
    path: "/v1/grants/{dev_sub}",
    access: "member",
    versionedBy: "updated_at",
    summary: "Get a person's grant. A developer can get only their own grant",
    response: grant,
    example: { parameters: { dev_sub: devSub }, response: anExample },
  },
  putGrant: {
    method: "PUT",
    path: "/v1/grants/{dev_sub}",
    access: "owner",
    versionedBy: "updated_at",
    openIn: "suspended",
    summary: "Create or replace a person's grant. In a suspended workspace a grant can only be lowered",
    body: writtenBy(grantBody, "owner"),
    response: grant,
    refusals: ["changed_meanwhile"],
    example: { parameters: { dev_sub: devSub }, body: limits, response: anExample },
  },
  deleteGrant: {
    method: "DELETE",
    path: "/v1/grants/{dev_sub}",
    access: "owner",
    versionedBy: "updated_at",
    openIn: "suspended",
    summary: "Revoke a person's grant",
    refusals: ["changed_meanwhile"],
    example: { parameters: { dev_sub: devSub } },
  },
} as const satisfies Record<string, Route>;
