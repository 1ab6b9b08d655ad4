// Approval of people who signed up alone, by the platform's administrators. Where it is required, only approved people create workspaces.

import type { Log } from "../kernel/log.ts";
import type { Mailer } from "../kernel/mail.ts";
import type { Page, PageRequest } from "../kernel/page.ts";
import { Refusal } from "../kernel/refusal.ts";
import { approvalAwaited } from "../mails/approval-awaited.ts";
import { approved as approvedMail } from "../mails/approved.ts";
import { mailOf, type Platform, type Words } from "../mails/words.ts";
import { type AuditEntry, entryBy, platformTrail } from "../workspace/audit.ts";
import type { Profile, UserStore } from "./user.ts";

export interface ApprovalStore {
  /** People whose profile is pending. */
  pending(page: PageRequest): Promise<Page<Profile>>;
  /** Writes nothing, and returns false, if the person is not pending any more. */
  approve(sub: string, entry: AuditEntry): Promise<boolean>;
}

export type ApprovalMails = { mailer: Mailer; log: Log; platform: Platform };

export type ApprovalDependencies = ApprovalMails & {
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
  if (isChanged) await tell(deps, profile, approvedMail(deps.platform));
  return approved;
}

/** Mails a person who has just signed up that they have to wait for approval. */
export function tellWaiting(mails: ApprovalMails, profile: Profile): Promise<void> {
  return tell(mails, profile, approvalAwaited(mails.platform));
}

/** Never rejects. An address that nobody has proved may be a stranger's, who gets no mail. */
async function tell({ mailer, log, platform }: ApprovalMails, profile: Profile, words: Words): Promise<void> {
  const { sub, email, email_verified } = profile;
  if (email_verified === false) return;
  try {
    await mailer.send(mailOf(words, email, platform));
  } catch (error) {
    log.problem("approval_not_mailed", { sub }, error);
  }
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
