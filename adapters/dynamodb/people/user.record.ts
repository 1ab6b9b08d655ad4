// The records of a person, in one partition: profile, memberships and active workspaces.
import * as z from "zod";
import { type Membership, membershipSchema, profileSchema } from "../../../domain/people/user.ts";
import { defineRecord } from "../record.ts";

const text = z.string();
const time = text.optional();

/**
 * A removal is told by `removed_at`, which a sign-in may not write (`signInAttributes`), and not by `status` alone: so the function of the
 * sign-in cannot make a removed person a member again.
 */
const asRemoved = (membership: Membership): Membership =>
  membership.removed_at === undefined ? membership : { ...membership, status: "removed" };

export const profileRecord = defineRecord({
  kind: "user",
  title: "user profile",
  pk: "USER#{sub}",
  sk: "PROFILE",
  index: { pk: "EMAIL#{email:lower}", sk: "PROFILE" },
  activeIndex: { pk: "PENDING#PEOPLE", sk: "{created_at}#{sub}", rows: "while the person waits for approval" },
  schema: profileSchema.extend({ created_at: text }),
  version: 1,
  life: "until purged",
  purge: { with: "person", by: "partition" },
  control: ["batchGet", "query", "update", "index", "activeIndex"],
  written: "at sign-in",
});

export const membershipRecord = defineRecord({
  kind: "user",
  title: "membership",
  pk: "USER#{sub}",
  sk: "TENANT#{tenant_id}",
  index: { pk: "TENANT#{tenant_id}", sk: "USER#{created_at}#{sub}" },
  schema: membershipSchema
    .extend({
      tenant_id: text,
      created_at: text,
      invited_at: time,
      activated_at: time,
      removed_at: time,
      mailed_at: time,
    })
    .transform(asRemoved),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "index" },
  control: ["get", "batchGet", "query", "put", "update", "condition", "index"],
  written:
    "when a tenant is created, and when a person is invited or removed; by the first sign-in or the person's request, which activates it; when the person declines; by the reconciliation, which ends an invitation a week after its last mail",
});

export const activeTenantRecord = defineRecord({
  kind: "user",
  title: "active workspace",
  pk: "USER#{sub}",
  sk: "ACTIVE#{client_id}",
  schema: z.object({ client_id: text, tenant_id: text }),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "partition", through: "membership" },
  control: ["query", "put"],
  written: "by the control plane, for each app client",
});

/**
 * The attributes that a sign-in may write: it writes the profile and activates an invitation. It may not write `tenant_id` and
 * `tenant_role`, which decide where a person belongs and as what.
 */
export const signInAttributes = [
  ...["pk", "sk", "gsi1_pk", "gsi1_sk", "gsi2_pk", "gsi2_sk"],
  ...["sub", "email", "approval_status", "provider", "email_verified", "linked", "created_at"],
  ...["status", "invited_at", "activated_at"],
] as const;
