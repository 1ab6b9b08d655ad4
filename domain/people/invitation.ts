// Invites people into a workspace by their e-mail address, and mails invitations again.
import * as z from "zod";
import type { Creation } from "../kernel/idempotency.ts";
import { contention, fieldRefusal, type Refusal } from "../kernel/refusal.ts";
import { together } from "../kernel/together.ts";
import { fields } from "../kernel/validation.ts";
import { type AuditEntry, type Author, entryBy } from "../workspace/audit.ts";
import type { Accounts } from "./accounts.ts";
import {
  type InvitationMailDependencies,
  invitedInto,
  type MailCount,
  type MailSent,
  mailInvitation,
  mailPauseMs,
  mayMailPassword,
  nextMailAt,
  requirePause,
  takeMail,
} from "./invitation-mail.ts";
import { type Membership, noSuchPerson, type UserRecord, type UserStore } from "./user.ts";

/** The identity provider uses the address as username and takes no longer one. */
const maxCharacters = 128;

/** In lower case, because the identity provider ignores the case of addresses. */
export const emailAddress = z
  .email("must be an e-mail address")
  .max(maxCharacters, `must have at most ${maxCharacters} characters`)
  .toLowerCase();

export const invitationBody = fields({
  email: emailAddress.describe("E-mail address of the person to invite"),
}).meta({ id: "InvitationBody", description: "The person to invite" });

/** An invitation as it is stored: a membership without a status. */
export type Invitation = Membership & { invited_at: string; invitation_id: string; mailed_at: string; email: string };

export interface InvitationStore extends MailCount {
  /** Writes the invitation if the person has no membership, or still the removed membership `before`. */
  invite(invitation: Invitation, before: Membership | undefined, entry: AuditEntry): Promise<boolean>;
  /** Notes the mail that `mailed` has, if the invitation waits and its last mail was sent no later than `notAfter`. */
  noteMail(mailed: Membership, notAfter: string, entry: AuditEntry): Promise<boolean>;
}

export type InvitationDependencies = Omit<InvitationMailDependencies, "settings"> & {
  accounts: Accounts;
  invitations: InvitationStore;
  users: Pick<UserStore, "record" | "membership">;
  clock: () => number;
  newId: () => string;
  settings: InvitationMailDependencies["settings"] & { maxInvitationMails: number };
};

export type MailedInvitation = { invitation: Membership; mail: MailSent };

/** @throws Refusal */
export async function invitePerson(
  deps: InvitationDependencies,
  author: Author,
  email: string,
): Promise<Creation<MailedInvitation>> {
  const inviter = await deps.users.record(author.sub);
  if (inviter.profile?.email.toLowerCase() === email) throw invitesOneself();
  return { newId: deps.newId(), create: (id) => invite(deps, author, email, { id, inviter }) };
}

/** Counts the mail before anything is sent. If a later step fails, the account stays, and a repeat of the request finds it. */
async function invite(
  deps: InvitationDependencies,
  author: Author,
  email: string,
  { id, inviter }: { id: string; inviter: UserRecord },
): Promise<MailedInvitation> {
  await takeMail(deps, author.tenantId);
  const invitedBy = inviter.profile?.email;
  const into = await invitedInto(deps.tenants, author.tenantId, invitedBy);
  const { sub, state } = await deps.accounts.invite(email, into);
  if (sub === author.sub) throw invitesOneself();
  const person = await deps.users.record(sub);
  const isMade = state === "created" || madeAccount(inviter.memberships, person.memberships);
  const hasPassword = state === "created" || mayMailPassword(person, author.tenantId, deps.clock());
  const invitation = await writeInvitation(deps, author, { sub, email, id, invitedBy, hasPassword, isMade });
  // Whoever had no account was mailed by the identity provider when it made one just now, and needs no second mail.
  if (state === "created") return { invitation, mail: "sent" };
  if (isPaused(invitation)) return { invitation, mail: "none" };
  return { invitation, mail: await mailInvitation(deps, author, invitation, person.profile !== undefined) };
}

/** A person who was removed by mistake is invited again at once, and without another mail if the last one went out just now. */
function isPaused({ mailed_at = "", invited_at = "" }: Membership): boolean {
  return mailed_at < invited_at;
}

/** Whether an invitation to one of the inviter's own workspaces made the account of the person with these memberships. */
function madeAccount(inviters: readonly Membership[], memberships: readonly Membership[]): boolean {
  const own = inviters.filter(({ tenant_role }) => tenant_role === "owner").map(({ tenant_id }) => tenant_id);
  return memberships.some(({ made_account, tenant_id }) => made_account && own.includes(tenant_id));
}

type NewInvitation = {
  sub: string;
  email: string;
  id: string;
  invitedBy: string | undefined;
  hasPassword: boolean;
  isMade: boolean;
};

/** Writes the invitation unless the person has a membership. A repeat finds the invitation of its first attempt by the id. */
async function writeInvitation(
  { users, invitations, clock, newId }: InvitationDependencies,
  author: Author,
  { sub, email, id, invitedBy, hasPassword, isMade }: NewInvitation,
): Promise<Membership> {
  const before = await users.membership(sub, author.tenantId);
  if (before?.invitation_id === id) return before;
  if (before && before.status !== "removed") throw isThere(before);
  const now = clock();
  const invitedAt = new Date(now).toISOString();
  const what = { email, tenant_role: "developer", invited_at: invitedAt } as const;
  const was = before && { status: before.status };
  const entry = entryBy({ clock, newId }, author, { action: "user.invite", target: sub, before: was, after: what });
  // The mail before stays the last one while the pause after it lasts.
  const last = before && nextMailAt(before) > now ? before : undefined;
  const isMailed = hasPassword && (last === undefined || last.password_mailed === true);
  const invitation: Invitation = {
    ...{ sub, tenant_id: author.tenantId, ...what, invited_by: invitedBy },
    ...{ created_at: invitedAt, mailed_at: last?.mailed_at ?? invitedAt, invitation_id: id },
    ...(isMade && { made_account: true }),
    ...(isMailed && { password_mailed: true }),
  };
  if (await invitations.invite(invitation, before, entry)) return invitation;
  const current = await users.membership(sub, author.tenantId);
  if (current?.invitation_id === id) return current;
  throw isThere(current);
}

/** @throws Refusal */
export async function resendInvitation(
  deps: InvitationDependencies,
  author: Author,
  sub: string,
): Promise<MailedInvitation> {
  const { users, invitations, clock } = deps;
  const before = await requireInvited(users, author, sub);
  requirePause(before, clock());
  await takeMail(deps, author.tenantId);
  const [inviter, person] = await together([users.record(author.sub), users.record(sub)]);
  const now = clock();
  const { password_mailed: _ended, ...rest } = before;
  const invitation: Membership = {
    ...{ ...rest, mailed_at: new Date(now).toISOString(), invited_by: inviter.profile?.email },
    ...(mayMailPassword(person, author.tenantId, now) && { password_mailed: true }),
  };
  const entry = entryBy(deps, author, { action: "user.resend", target: sub, before, after: invitation });
  const notAfter = new Date(now - mailPauseMs).toISOString();
  if (!(await invitations.noteMail(invitation, notAfter, entry))) {
    requirePause(await requireInvited(users, author, sub), clock());
    throw contention("user_id", "the invitation was changed by another request just now, try again");
  }
  return { invitation, mail: await mailInvitation(deps, author, invitation, person.profile !== undefined) };
}

async function requireInvited(
  users: Pick<UserStore, "membership">,
  { tenantId }: Author,
  sub: string,
): Promise<Membership> {
  const membership = await users.membership(sub, tenantId);
  if (!membership) throw noSuchPerson(sub);
  if (membership.status === undefined) return membership;
  if (membership.status === "active") throw fieldRefusal("already_member", "user_id", "the person has come already");
  throw fieldRefusal("person_removed", "user_id", "the person was removed; invite them again");
}

function invitesOneself(): Refusal {
  return fieldRefusal("already_member", "email", "this is your own address: you belong to the workspace already");
}

function isThere(membership: Membership | undefined): Refusal {
  const isInvited = membership && membership.status === undefined;
  const advice = `mail it again with POST /v1/users/${membership?.sub}/resend`;
  if (isInvited) return fieldRefusal("already_invited", "email", `the person is invited already; ${advice}`);
  if (membership?.status === "active") {
    return fieldRefusal("already_member", "email", "the person belongs to the workspace already");
  }
  return contention("email", "the person was changed by another request just now, try again");
}
