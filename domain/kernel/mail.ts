// Mails that the platform itself sends, besides those of the identity provider.

/** A mail in two forms, of which a mail program shows one (domain/mails/words.ts). `to` is one address, or several that see each other. */
export type Mail = { to: string | readonly string[]; subject: string; text: string; html: string };

/** Thrown if it is unknown whether the mail service accepted a mail. A caller that must not mail twice does not repeat it. */
export class MailUncertain extends Error {
  override name = "MailUncertain";

  constructor(cause: unknown) {
    super("Nobody heard whether the mail was sent", { cause });
  }
}

export interface Mailer {
  /**
   * Tries once. Returns `none` if the stack has no sender.
   * @throws MailUncertain; any other error means that nothing was sent
   */
  send(mail: Mail): Promise<"sent" | "none">;
}

/** Lower-cases ASCII letters only, because some letters of other alphabets have an ASCII letter as lower case. */
function foldAddress(email: string): string {
  return email.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

export function sameAddress(one: string | undefined, other: string): boolean {
  return one !== undefined && foldAddress(one) === foldAddress(other);
}

const subjectCharacters = 150;
const textCharacters = 10_000;
const nameCharacters = 60;

/** Exactly one address: no second address after a comma, no name, no line break. */
const oneAddress = /^[^\s\p{Cc}<>()[\]\\,;:"@]+@[^\s\p{Cc}<>()[\]\\,;:"@]+$/u;
/** Control and formatting characters, line separators and lone surrogates. */
const unprintable = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}]+/gu;
const unprintableInText = /[^\n\P{Cc}]|[\p{Cf}\p{Zl}\p{Zp}\p{Cs}]/gu;

/**
 * Returns the mail with its subject on one line, without invisible characters, and with subject and text cut to their limits. HTML
 * would not survive a cut; what its words are made of is bounded.
 * @throws Error if an address of `to` is not a plain one
 */
export function plainMail({ to, subject, text, html }: Mail): Mail {
  const all = [to].flat();
  if (all.length === 0 || !all.every((one) => oneAddress.test(one))) throw new Error("A mail goes to plain addresses");
  return {
    to,
    subject: cut(subject.replace(unprintable, " "), subjectCharacters),
    text: cut(text.replace(unprintableInText, ""), textCharacters),
    html: html.replace(unprintableInText, ""),
  };
}

/**
 * Returns a display name for use in a mail. Mail programs turn everything that looks like an address into a link, so the
 * characters of addresses are replaced by spaces: `Müller & Söhne` stays, `https://evil.example/now` becomes words.
 */
export function nameInMail(name: string): string {
  const words = name.normalize("NFC").replace(/[^\p{L}\p{M}\p{N}&'()+_-]+/gu, " ");
  return cut(words.trim(), nameCharacters);
}

/** Cuts between whole characters, never inside a surrogate pair. */
function cut(text: string, characters: number): string {
  const all = [...text];
  return all.length > characters ? `${all.slice(0, characters - 1).join("")}…` : text;
}
