// Invitations: who is asked into a workspace by an e-mail address, how many mails that may cost, and the mail of our own.
import * as z from "zod";
import { type Mail, nameInMail } from "../kernel/mail.ts";
import { fields } from "../kernel/validation.ts";
import type { AuditEntry } from "./audit.ts";
import type { Tenant } from "./tenant.ts";
import type { Membership } from "./user.ts";

/** Of a username in Cognito (API reference, AdminCreateUser), which an e-mail address is there. */
const maxCharacters = 128;

/** In lower case: the identity provider makes no difference, so neither do we. */
export const emailAddress = z
  .email("must be an e-mail address")
  .max(maxCharacters, `must have at most ${maxCharacters} characters`)
  .toLowerCase();

export const invitationBody = fields({ email: emailAddress });

/** `none`: the person learns nothing by mail, and belongs to the workspace all the same once they sign in. */
export const mailSent = z.enum(["sent", "none"]);
export type MailSent = z.output<typeof mailSent>;

/** An invitation as it is kept: a membership without a status. */
export type Invitation = Membership & { invited_at: string; invitation_id: string; mailed_at: string; email: string };

/** How long a mailed password is good; after that the invitation ends (expired-invitations.ts). */
export const invitationDays = 7;

/** Between two mails to one person of a workspace. */
export const mailPauseMs = 10 * 60_000;

export interface InvitationStore {
  /**
   * Takes one of the mails that the tenant may cause on a day; it is never given back.
   * `closed`: the tenant is not active. @param day `2026-11-21`, UTC
   */
  takeMail(tenantId: string, day: string, max: number): Promise<"taken" | "none_left" | "closed">;
  /** Writes the invitation if there is nothing of the person there, or the removed membership `before`. */
  invite(invitation: Invitation, before: Membership | undefined, entry: AuditEntry): Promise<boolean>;
  /** Notes a mail, if the person has not come yet and the one before went out no later than `notAfter`. */
  noteMail(membership: Membership, mailedAt: string, notAfter: string, entry: AuditEntry): Promise<boolean>;
}

/** When the next mail may go to the person, in milliseconds. */
export function nextMailAt({ mailed_at }: Pick<Membership, "mailed_at">): number {
  return mailed_at === undefined ? 0 : Date.parse(mailed_at) + mailPauseMs;
}

/** For somebody who has an account already. `inviter` is the owner's address, which says whom to ask. */
export function invitationMail(
  to: string,
  { name, slug }: Pick<Tenant, "name" | "slug">,
  inviter: string | undefined,
  consoleAddress: string | undefined,
): Mail {
  const text = [
    `${inviter ?? "The owner"} has added you to the workspace ${nameInMail(name)} (${slug}).`,
    `You belong to it from your next sign-in on${consoleAddress ? `: ${consoleAddress}` : "."}`,
    "The workspace in which you work stays the active one until you choose another.",
    "If you do not know who this is, you can leave the workspace there, or do nothing.",
  ];
  return { to, subject: "You were added to a workspace", text: text.join("\n\n") };
}
