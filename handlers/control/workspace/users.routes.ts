// The routes of people, as data.
import * as z from "zod";
import { memberSchema } from "../../../domain/access/member.ts";
import { invitationBody } from "../../../domain/people/invitation.ts";
import { mailSent } from "../../../domain/people/invitation-mail.ts";
import { memberStatus, membershipSchema, profileSchema } from "../../../domain/people/user.ts";
import { monthBudgetSchema } from "../../../domain/reporting/month-budget.ts";
import { exportedPageQuery, pageQuery, pageSchema } from "../routing/list-query.ts";
import type { Route } from "../routing/route.ts";
import { writtenBy } from "../routing/writers.ts";

const profile = profileSchema
  .omit({ sub: true })
  .extend({ user_id: z.string().describe("Id of the person: the `sub` of their tokens") })
  .meta({ id: "Profile", description: "A person with an account at the platform" });

const aPerson = {
  user_id: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
  email: "ann@acme.test",
  approval_status: "pending",
  provider: "Google",
  email_verified: true,
  created_at: "2026-11-21T05:00:00.000Z",
};

const tenantId = "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d";
const userId = "d4e5f953-a172-81f2-3b4c-6d7e8f9a0b1c";

const invitation = z
  .object({
    user_id: memberSchema.shape.user_id,
    email: z.string().describe("E-mail address to which the invitation is sent"),
    ...membershipSchema.pick({ tenant_role: true, invited_at: true }).shape,
    mail: mailSent,
  })
  .meta({ id: "Invitation", description: "An invited person" });

const anInvitation = {
  user_id: userId,
  email: "ben@acme.test",
  tenant_role: "developer",
  invited_at: "2026-11-21T05:00:00.000Z",
  mail: "sent",
};

const member = memberSchema
  .extend(monthBudgetSchema.shape)
  .meta({ id: "User", description: "A member of the workspace, with the spent and remaining budget of this month" });

const aMember = {
  user_id: userId,
  email: "ben@acme.test",
  tenant_role: "developer",
  status: "active",
  created_at: "2026-11-21T05:00:00.000Z",
  invited_at: "2026-11-21T05:00:00.000Z",
  activated_at: "2026-11-21T05:10:00.000Z",
  has_grant: true,
  last_used_at: "2026-11-21T09:30:12.000Z",
  month: "2026-11",
  spent_usd: 12.5,
  reserved_usd: 0.11,
  limit_usd: 50,
  left_usd: 37.39,
  resets_at: "2026-12-01T00:00:00.000Z",
};

const usersQuery = exportedPageQuery({
  status: memberStatus.optional().describe("Only people of this status"),
});

const csv = Object.keys(member.shape);

export const userRoutes = {
  listUsers: {
    method: "GET",
    path: "/v1/users",
    access: "owner",
    summary: "List the workspace's people. `status` is missing for a person who has not accepted the invitation",
    query: usersQuery,
    response: pageSchema(member),
    csv,
    example: { response: { data: [aMember] } },
  },
  listTenantUsers: {
    method: "GET",
    path: "/v1/tenants/{id}/users",
    access: "platform_reader",
    summary: "List the people of any workspace, as platform staff. The workspace's audit trail records each look",
    query: usersQuery,
    response: pageSchema(member),
    csv,
    example: { parameters: { id: tenantId }, response: { data: [aMember] } },
  },
  getUser: {
    method: "GET",
    path: "/v1/users/{user_id}",
    access: "member",
    summary: "Get a person of the workspace, whatever their status. A developer can get only themselves, also as `me`",
    response: member,
    example: { parameters: { user_id: userId }, response: aMember },
  },
  inviteUser: {
    method: "POST",
    path: "/v1/users/invite",
    access: "owner",
    asksOutside: true,
    idempotent: true,
    summary: "Invite a person by e-mail address. They become a developer without a grant",
    body: writtenBy(invitationBody, "owner"),
    status: 201,
    response: invitation,
    location: "/v1/users/{user_id}",
    refusals: [
      ...(["already_member", "already_invited", "address_unproven"] as const),
      ...(["invitation_limit_reached", "changed_meanwhile"] as const),
    ],
    example: { body: { email: "ben@acme.test" }, response: anInvitation },
  },
  resendInvitation: {
    method: "POST",
    path: "/v1/users/{user_id}/resend",
    access: "owner",
    asksOutside: true,
    summary: "Send the mail of an invitation again. At least ten minutes must lie between two mails",
    response: invitation,
    refusals: ["already_member", "person_removed", "invitation_limit_reached", "changed_meanwhile"],
    example: { parameters: { user_id: userId }, response: anInvitation },
  },
  removeUser: {
    method: "DELETE",
    path: "/v1/users/{user_id}",
    access: "member",
    openIn: "suspended",
    summary: "Remove a person with their grant and keys. A developer can remove only themselves, also as `me`",
    refusals: ["owner_cannot_leave"],
    example: { parameters: { user_id: userId } },
  },
  listPendingUsers: {
    method: "GET",
    path: "/v1/users/pending",
    access: "platform_admin",
    summary: "List people who signed up without an invitation and wait for approval",
    query: pageQuery,
    response: pageSchema(profile),
    example: { response: { data: [aPerson] } },
  },
  approveUser: {
    method: "POST",
    path: "/v1/users/{user_id}/approve",
    access: "platform_admin",
    summary: "Approve a person. They can then create workspaces",
    response: profile,
    example: { parameters: { user_id: aPerson.user_id }, response: { ...aPerson, approval_status: "approved" } },
  },
} as const satisfies Record<string, Route>;
