// Routes of people. Data only, nothing runs here.
import { pageQuery, pageSchema } from "../../domain/page.ts";
import { profileSchema } from "../../domain/tenancy/user.ts";
import type { Route } from "./route.ts";

const aPerson = {
  sub: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
  email: "ann@acme.test",
  approval_status: "pending",
  created_at: "2026-11-21T05:00:00.000Z",
};

export const userRoutes = {
  listPendingUsers: {
    method: "GET",
    path: "/v1/users/pending",
    access: "platform_admin",
    summary: "People who signed up alone and wait for approval",
    query: pageQuery,
    status: 200,
    response: pageSchema(profileSchema),
    example: { response: { data: [aPerson] } },
  },
  approveUser: {
    method: "POST",
    path: "/v1/users/{user_id}/approve",
    access: "platform_admin",
    summary: "Approve a person, who can then create workspaces",
    status: 200,
    response: profileSchema,
    example: { parameters: { user_id: aPerson.sub }, response: { ...aPerson, approval_status: "approved" } },
  },
} as const satisfies Record<string, Route>;
