// Mails of the platform's own, beside those of the identity provider. Plain text, so that nothing in them is markup.

export type Mail = { to: string; subject: string; text: string };

/** The mail service may have taken the mail or not: whoever may not mail twice does not try again. */
export class MailUncertain extends Error {
  override name = "MailUncertain";

  constructor(cause: unknown) {
    super("Nobody heard whether the mail was sent", { cause });
  }
}

export interface Mailer {
  /**
   * Tries once. `none` where the stack has no sender.
   * @throws MailUncertain; else what the mail service refuses or cannot do now, and nothing is sent
   */
  send(mail: Mail): Promise<"sent" | "none">;
}

/** Only ASCII letters lose their case: other alphabets have letters whose lower case is an ASCII one. */
export function foldAddress(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function sameAddress(one: string | undefined, other: string): boolean {
  return one !== undefined && foldAddress(one) === foldAddress(other);
}

const subjectCharacters = 150;
const textCharacters = 10_000;
const nameCharacters = 60;

/** One address and nothing beside it: no second one after a comma, no name, no line break. */
const oneAddress = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;
/** Control and formatting characters, line separators and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;
const unprintableInText = /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * The mail as it may be sent: its subject on one line, both without invisible characters and no longer than a mail of ours.
 * @throws Error if `to` is not one plain address
 */
export function plainMail({ to, subject, text }: Mail): Mail {
  if (!oneAddress.test(to)) throw new Error("A mail goes to one plain address");
  return {
    to,
    subject: cut(subject.replace(unprintable, " "), subjectCharacters),
    text: cut(text.replace(unprintableInText, ""), textCharacters),
  };
}

/**
 * What somebody called a workspace or a key, fit for a mail of ours: mail programs make links of addresses and of what only
 * looks like one, so nothing is left that could be. `Müller & Söhne` stays, `https://evil.example/now` becomes words.
 */
export function nameInMail(name: string): string {
  const words = name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}&'()+_-]+/gu, " ");
  return cut(words.trim(), nameCharacters);
}

/** Whole characters: half of a pair is none. */
function cut(text: string, characters: number): string {
  const all = [...text];
  return all.length > characters ? `${all.slice(0, characters - 1).join("")}…` : text;
}
