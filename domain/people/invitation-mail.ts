// The mails of an invitation: how many a person and a workspace may cause, and who sends them.
import * as z from "zod";
import type { Log } from "../kernel/log.ts";
import type { Mailer } from "../kernel/mail.ts";
import { Refusal } from "../kernel/refusal.ts";
import { added } from "../mails/added.ts";
import { mailOf, type Platform } from "../mails/words.ts";
import type { Author } from "../workspace/audit.ts";
import type { TenantStore } from "../workspace/tenant.ts";
import type { Accounts, Invited } from "./accounts.ts";
import type { Membership } from "./user.ts";

export const mailSent = z
  .enum(["sent", "none"])
  .describe("`none`: no mail was sent. The person belongs to the workspace all the same once they sign in");
export type MailSent = z.output<typeof mailSent>;

/** Shortest time between two mails to one person of a workspace. */
export const mailPauseMs = 10 * 60_000;

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
 * Mails an invitation. The identity provider sends a temporary password to people who never signed in; everybody else gets a
 * mail of the platform's own. Never rejects: the invitation stands without a mail, and the answer says that none was sent.
 */
export async function mailInvitation(
  { accounts, tenants, mailer, log, settings }: InvitationMailDependencies,
  { tenantId }: Author,
  { email = "", sub }: Membership,
  inviter: string | undefined,
): Promise<MailSent> {
  try {
    const into = await invitedInto(tenants, tenantId, inviter);
    if (await accounts.resend(email, into)) return "sent";
    return await mailer.send(mailOf(added(into, settings.platform), email, settings.platform));
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
