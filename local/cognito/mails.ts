// The mails of the pool: codes in Cognito's own words, and invitations in the declared words or Cognito's.
import { randomInt } from "node:crypto";
import { AwsError } from "../aws/service.ts";
import type { MailedCode, User } from "./people/users.ts";
import type { Pool } from "./pool.ts";
import { invalidParameter } from "./refusals.ts";

const codeMs = { "sign-up": 24 * 3_600_000, password: 3_600_000 };

/** After this many wrong tries a code is void. */
const maxFailures = 5;

/** Mails a new code, which replaces one sent before. */
export async function mailCode(pool: Pool, user: User, purpose: MailedCode["purpose"]): Promise<void> {
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  const expiresAt = pool.now() + codeMs[purpose];
  const mailedCode = { purpose, code, expiresAt, failures: 0 };
  pool.users.update(user.username, (current) => ({ ...current, mailedCode }));
  const [subject, text] =
    purpose === "sign-up"
      ? ["Your verification code", `Your confirmation code is ${code}`]
      : ["Reset your password", `Your password reset code is ${code}`];
  await pool.sendMail({ to: addressOf(user), subject, text });
}

/** Checks the code and uses it up. @throws AwsError CodeMismatchException, ExpiredCodeException or LimitExceededException. */
export function takeCode(pool: Pool, user: User, purpose: MailedCode["purpose"], code: string): void {
  const { mailedCode } = user;
  if (mailedCode?.purpose !== purpose || mailedCode.expiresAt <= pool.now()) {
    throw new AwsError("ExpiredCodeException", "Invalid code provided, please request a code again.");
  }
  if (mailedCode.failures >= maxFailures) {
    throw new AwsError("LimitExceededException", "Attempt limit exceeded, please try after some time.");
  }
  if (mailedCode.code !== code.trim()) {
    const failed = { ...mailedCode, failures: mailedCode.failures + 1 };
    pool.users.update(user.username, (current) => ({ ...current, mailedCode: failed }));
    throw new AwsError("CodeMismatchException", "Invalid verification code provided, please try again.");
  }
  pool.users.update(user.username, ({ mailedCode: _, ...current }) => current);
}

export async function mailInvitation(pool: Pool, user: User, password: string): Promise<void> {
  const template = pool.settings.adminCreateUserConfig?.inviteMessageTemplate;
  const usual = "Your username is {username} and temporary password is {####}";
  await pool.sendMail({
    to: addressOf(user),
    subject: template?.emailSubject ?? "Your temporary password",
    text: fill(template?.emailMessage ?? usual, user, password),
  });
}

function addressOf({ attributes }: User): string {
  if (attributes.email) return attributes.email;
  throw invalidParameter("User does not have an email address to deliver to.");
}

/**
 * Replaces the placeholders of an invitation's template; a value is never searched for placeholders itself. A template is HTML
 * and the mailbox shows text, so that its line breaks become lines.
 */
function fill(template: string, user: User, secret: string): string {
  const values: Record<string, string> = { "{username}": user.attributes.email ?? user.username, "{####}": secret };
  const text = template.replaceAll(/<br *\/?>/g, "\n");
  return text.replace(/\{username\}|\{####\}/g, (placeholder) => values[placeholder] ?? placeholder);
}
