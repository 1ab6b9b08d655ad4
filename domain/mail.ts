// Mails of the platform's own, beside those of the identity provider.

export type Mail = { to: string; subject: string; text: string };

export interface Mailer {
  /** `none` where the stack has no sender. @throws what the mail service refuses or cannot do now */
  send(mail: Mail): Promise<"sent" | "none">;
}
