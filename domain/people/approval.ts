// Approval of people who signed up alone, by the platform's administrators. Where it is required, only approved people create workspaces.

import type { Page, PageRequest } from "../kernel/page.ts";
import { Refusal } from "../kernel/refusal.ts";
import { approvalAwaited } from "../mails/approval-awaited.ts";
import { approved as approvedMail } from "../mails/approved.ts";
import { type Mails, tell } from "../mails/tell.ts";
import { type AuditEntry, entryBy, platformTrail } from "../workspace/audit.ts";
import type { Profile, UserStore } from "./user.ts";

/** The log's word for a mail about approval that could not be sent. */
const notMailed = "approval_not_mailed";

export interface ApprovalStore {
  /** People whose profile is pending. */
  pending(page: PageRequest): Promise<Page<Profile>>;
  /** Writes nothing, and returns false, if the person is not pending any more. */
  approve(sub: string, entry: AuditEntry): Promise<boolean>;
}

export type ApprovalDependencies = Mails & {
  users: Pick<UserStore, "record">;
  approvals: Pick<ApprovalStore, "approve">;
  clock: () => number;
  newId: () => string;
};

/** Approves the person, and mails them. @param admin sub of the administrator. @throws Refusal not_found. */
export async function approvePerson(deps: ApprovalDependencies, admin: string, sub: string): Promise<Profile> {
  const { profile } = await deps.users.record(sub);
  if (!profile) throw new Refusal("not_found", `user_id: there is nobody ${sub} here`);
  const approved = { ...profile, approval_status: "approved" as const };
  if (profile.approval_status === "approved") return approved;
  const change = { action: "user.approve", target: sub, before: profile, after: approved } as const;
  const author = { tenantId: platformTrail, sub: admin };
  const entry = entryBy(deps, author, { ...change, actor_role: "platform_admin" });
  const isChanged = await deps.approvals.approve(sub, entry);
  if (isChanged) await tell(deps, profile, approvedMail(deps.platform), notMailed);
  return approved;
}

/** Mails a person who has just signed up that they have to wait for approval. */
export function tellWaiting(mails: Mails, profile: Profile): Promise<void> {
  return tell(mails, profile, approvalAwaited(mails.platform), notMailed);
}

/** @throws Refusal approval_pending. */
export async function requireApproved(
  users: Pick<UserStore, "record">,
  approval: "automatic" | "manual",
  sub: string,
): Promise<void> {
  if (approval === "automatic") return;
  const { profile } = await users.record(sub);
  if (profile?.approval_status === "approved") return;
  throw new Refusal("approval_pending", "Your account waits for approval by the platform's administrators");
}
