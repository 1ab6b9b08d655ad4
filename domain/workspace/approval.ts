// Approval of people who signed up alone, by the platform's administrators. Where it is required, only approved people create workspaces.
import type { Page, PageRequest } from "../kernel/page.ts";
import { Refusal } from "../kernel/refusal.ts";
import { type AuditEntry, entryBy, platformTrail } from "./audit.ts";
import type { Profile, UserStore } from "./user.ts";

export interface ApprovalStore {
  /** People whose profile is pending. */
  pending(page: PageRequest): Promise<Page<Profile>>;
  /** Writes nothing if the person is not pending any more. */
  approve(sub: string, entry: AuditEntry): Promise<void>;
}

export type ApprovalDependencies = {
  users: Pick<UserStore, "record">;
  approvals: Pick<ApprovalStore, "approve">;
  clock: () => number;
  newId: () => string;
};

/** @param admin sub of the administrator. @throws Refusal not_found. */
export async function approvePerson(deps: ApprovalDependencies, admin: string, sub: string): Promise<Profile> {
  const { profile } = await deps.users.record(sub);
  if (!profile) throw new Refusal("not_found", `user_id: there is nobody ${sub} here`);
  const approved = { ...profile, approval_status: "approved" as const };
  if (profile.approval_status === "approved") return approved;
  const change = { action: "user.approve", target: sub, before: profile, after: approved } as const;
  await deps.approvals.approve(sub, entryBy(deps, { tenantId: platformTrail, sub: admin }, change));
  return approved;
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
