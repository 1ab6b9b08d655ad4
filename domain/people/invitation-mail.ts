// The mails of an invitation: how many a person and a workspace may cause, and who sends them.
import * as z from "zod";
import type { Log } from "../kernel/log.ts";
import type { Mailer } from "../kernel/mail.ts";
import { dayMs } from "../kernel/period.ts";
import { Refusal } from "../kernel/refusal.ts";
import { invitationWithoutPassword } from "../mails/invitation-without-password.ts";
import { mailOf, type Platform } from "../mails/words.ts";
import type { Author } from "../workspace/audit.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import type { Accounts, Invited } from "./accounts.ts";
import type { Membership, UserRecord } from "./user.ts";

export const mailSent = z
  .enum(["sent", "none"])
  .describe(
    "`none`: no mail was sent, because sending failed or the last mail is less than ten minutes old. The person is invited nevertheless",
  );
export type MailSent = z.output<typeof mailSent>;

/** Shortest time between two mails to one person of a workspace. */
export const mailPauseMs = 10 * 60_000;

/** How long a mailed password is valid. The invitation ends with it (expired-invitations.ts). */
export const invitationDays = 7;

/**
 * Whether a mail of the tenant's invitation may give the account a temporary password. An account has one, and a new one ends the one
 * before: while a mail of another pending invitation has a valid one, only that invitation is mailed with another.
 */
export function mayMailPassword(
  { profile, memberships }: Pick<UserRecord, "profile" | "memberships">,
  tenantId: string,
  now: number,
): boolean {
  const hasPassword = ({ tenant_id, status, password_mailed, mailed_at = "" }: Membership) =>
    password_mailed && status === undefined && tenant_id !== tenantId && now - Date.parse(mailed_at) < lifeMs;
  return !profile && !memberships.some(hasPassword);
}

const lifeMs = invitationDays * dayMs;

/** When the next mail may go to the person, in milliseconds. */
export function nextMailAt({ mailed_at }: Pick<Membership, "mailed_at">): number {
  return mailed_at === undefined ? 0 : Date.parse(mailed_at) + mailPauseMs;
}

/** @throws Refusal rate_limited until the pause since the last mail is over. */
export function requirePause(membership: Pick<Membership, "mailed_at">, now: number): void {
  const next = nextMailAt(membership);
  if (next <= now) return;
  const words = `A person gets one mail in ${mailPauseMs / 60_000} minutes, the next one from ${new Date(next).toISOString()} on`;
  throw new Refusal("rate_limited", words, { retryAfterSeconds: Math.ceil((next - now) / 1000) });
}

export interface MailCount {
  /**
   * Takes one of the mails that the tenant may cause on a day. A taken mail is never given back.
   * `closed`: the tenant is not active. @param day `2026-11-21`, UTC
   */
  takeMail(tenantId: string, day: string, max: number): Promise<"taken" | "none_left" | "closed">;
}

type CountDependencies = { invitations: MailCount; clock: () => number; settings: { maxInvitationMails: number } };

/** @throws Refusal tenant_suspended, or invitation_limit_reached if the day's mails are used up. */
export async function takeMail({ invitations, clock, settings }: CountDependencies, tenantId: string): Promise<void> {
  const { maxInvitationMails: max } = settings;
  const day = new Date(clock()).toISOString().slice(0, 10);
  const outcome = await invitations.takeMail(tenantId, day, max);
  if (outcome === "taken") return;
  if (outcome === "closed") {
    throw new Refusal("tenant_suspended", "The workspace is suspended: nobody can be invited");
  }
  const advice = "the next ones go out after midnight UTC";
  throw new Refusal(
    "invitation_limit_reached",
    `The workspace has asked for ${max} invitations today, which is the most; ${advice}`,
  );
}

export type InvitationMailDependencies = {
  accounts: Pick<Accounts, "resend">;
  tenants: Pick<TenantStore, "get">;
  mailer: Mailer;
  log: Log;
  settings: { platform: Platform };
};

/**
 * Mails an invitation. The identity provider sends a temporary password if the invitation's mails have one and the account is unused;
 * everybody else gets a mail of the platform's own. Never rejects: the invitation stands without a mail, and the answer says that none was sent.
 * @param hasSignedIn whether the person has ever signed in
 */
export async function mailInvitation(
  { accounts, tenants, mailer, log, settings }: InvitationMailDependencies,
  { tenantId }: Author,
  { email = "", sub, invited_by: inviter, password_mailed }: Membership,
  hasSignedIn: boolean,
): Promise<MailSent> {
  try {
    const into = await invitedInto(tenants, tenantId, inviter);
    if (password_mailed && (await accounts.resend(email, into))) return "sent";
    const words = invitationWithoutPassword(
      // Whose password is not mailed any more has signed in at this moment.
      { ...into, hasSignedIn: hasSignedIn || password_mailed === true, days: invitationDays },
      settings.platform,
    );
    return await mailer.send(mailOf(words, email, settings.platform));
  } catch (error) {
    log.problem("invitation_not_mailed", { tenant_id: tenantId, sub }, error);
    return "none";
  }
}

/** @param inviter the owner's address, so that the person knows whom to ask */
export async function invitedInto(
  tenants: Pick<TenantStore, "get">,
  tenantId: string,
  inviter: string | undefined,
): Promise<Invited> {
  const tenant = await tenants.get(tenantId);
  if (!tenant) throw new Refusal("not_found", "There is no such workspace");
  return { workspace: { name: tenant.name, slug: tenant.slug }, inviter };
}
