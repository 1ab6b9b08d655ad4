// What a sign-in leaves on the audit trail: who came to the platform and to which workspaces, by which provider, and what else lets them in.
import { type AuditEntry, auditEntry, platformTrail } from "../workspace/audit.ts";
import type { Membership, Profile, SignedIn } from "./user.ts";

export type EntryStamp = { id: string; now: number };

/** The most workspaces on whose trails something about a person's sign-ins is told: a transaction of the store takes 100 writes. */
export const mostTrails = 90;

/** The entry on a workspace's trail that an invited person belongs to it from now on. */
export function joinEntry(
  { tenant_id }: Membership,
  person: Pick<SignedIn, "sub" | "email" | "provider" | "linked">,
  stamp: EntryStamp,
): AuditEntry {
  const { sub, email, provider, linked } = person;
  const after = { status: "active", email, provider, ...(linked.length > 0 && { linked }) };
  return auditEntry({ tenant_id, actor: sub, action: "user.join", target: sub, after }, stamp);
}

/**
 * Audit entries of a changed profile. The platform's trail has a new person with how they were approved, a later approval, and a provider
 * that was linked or unlinked; the trails of the person's workspaces have the linking, too.
 * @param joined ids of the workspaces that the person belongs to
 */
export function profileEntries(
  before: Profile | undefined,
  after: Profile,
  joined: readonly string[],
  stamp: () => EntryStamp,
): AuditEntry[] {
  const own = { actor: after.sub, target: after.sub } as const;
  const onPlatform = { ...own, tenant_id: platformTrail } as const;
  if (!before) {
    const { sub: _sub, created_at: _at, ...told } = after;
    const state = { ...told, ...(joined.length > 0 && { invited_to: joined.slice(0, mostTrails) }) };
    return [auditEntry({ ...onPlatform, action: "user.sign_up", after: state }, stamp())];
  }
  const approval = ({ approval_status }: Profile) => ({ approval_status });
  const links = ({ linked = [] }: Profile) => ({ linked });
  const approved = { ...onPlatform, action: "user.approve", before: approval(before), after: approval(after) } as const;
  const linked = { ...own, action: "user.link", before: links(before), after: links(after) } as const;
  return [
    ...(before.approval_status === after.approval_status ? [] : [auditEntry(approved, stamp())]),
    ...(links(before).linked.join() === links(after).linked.join()
      ? []
      : [platformTrail, ...joined.slice(0, mostTrails)].map((tenantId) =>
          auditEntry({ ...linked, tenant_id: tenantId }, stamp()),
        )),
  ];
}
