// The mails of the pool: codes and invitations in the trigger's words, the declared ones or Cognito's own.
import { randomInt } from "node:crypto";
import { AwsError } from "../aws/service.ts";
import type { Mail } from "../mailbox.ts";
import type { MailedCode, User } from "./people/users.ts";
import type { Pool } from "./pool.ts";
import { invalidParameter } from "./refusals.ts";
import { type ClientMetadata, codeParameter, type MessageSource, usernameParameter } from "./triggers.ts";

type CodeSource = Exclude<MessageSource, "AdminCreateUser">;

const codeMs = { "sign-up": 24 * 3_600_000, password: 3_600_000 };

const purposes: Record<CodeSource, MailedCode["purpose"]> = {
  SignUp: "sign-up",
  ResendCode: "sign-up",
  ForgotPassword: "password",
};

/** Cognito's own words. */
const usual: Record<MailedCode["purpose"], Template> = {
  "sign-up": { subject: "Your verification code", html: `Your confirmation code is ${codeParameter}` },
  password: { subject: "Reset your password", html: `Your password reset code is ${codeParameter}` },
};
const usualInvitation: Template = {
  subject: "Your temporary password",
  html: `Your username is ${usernameParameter} and temporary password is ${codeParameter}`,
};

type Template = { subject: string; html: string };

/** After this many wrong tries a code is void. */
const maxFailures = 5;

/** Mails a new code, which replaces one sent before. */
export async function mailCode(pool: Pool, user: User, source: CodeSource, clientId: string): Promise<void> {
  const purpose = purposes[source];
  const code = String(randomInt(1_000_000)).padStart(6, "0");
  const expiresAt = pool.now() + codeMs[purpose];
  const mailedCode = { purpose, code, expiresAt, failures: 0 };
  pool.users.update(user.username, (current) => ({ ...current, mailedCode }));
  const words = await pool.triggers.customMessage(source, user, { clientId });
  await pool.sendMail(filled({ ...usual[purpose], ...present(words) }, user, code));
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

export async function mailInvitation(
  pool: Pool,
  user: User,
  password: string,
  metadata?: ClientMetadata,
): Promise<void> {
  const template = pool.settings.adminCreateUserConfig?.inviteMessageTemplate;
  const declared = template && { subject: template.emailSubject, html: template.emailMessage };
  const words = await pool.triggers.customMessage("AdminCreateUser", user, { metadata });
  await pool.sendMail(filled({ ...usualInvitation, ...declared, ...present(words) }, user, password));
}

/** A trigger may change the text alone. */
function present(words: { subject: string | undefined; html: string } | undefined): Partial<Template> {
  return words ? { html: words.html, ...(words.subject !== undefined && { subject: words.subject }) } : {};
}

function addressOf({ attributes }: User): string {
  if (attributes.email) return attributes.email;
  throw invalidParameter("User does not have an email address to deliver to.");
}

/** Replaces the placeholders; a value is never searched for placeholders itself. Cognito sends HTML alone: the text is for readers here. */
function filled({ subject, html }: Template, user: User, secret: string): Mail {
  const values: Record<string, string> = {
    [usernameParameter]: user.attributes.email ?? user.username,
    [codeParameter]: secret,
  };
  const fill = (template: string) =>
    template.replace(/\{username\}|\{####\}/g, (placeholder) => values[placeholder] ?? placeholder);
  return { to: addressOf(user), subject, text: fill(shownText(html)), html: fill(html) };
}

const entities: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&quot;": '"' };

/** The text that a mail program shows of HTML, without its looks. */
function shownText(html: string): string {
  const body = html.replace(/<head>.*<\/head>/s, "").replace(/\n/g, "");
  const lines = body.replaceAll(/<br *\/?>/g, "\n").replaceAll(/<\/(?:p|h1)>/g, "\n\n");
  const text = lines.replaceAll(/<[^>]*>/g, "").replaceAll(/&\w+;/g, (entity) => entities[entity] ?? entity);
  return text.trim();
}
