// The mail that was sent, for people and tests to read.

export type Mail = { to: string; subject: string; text: string; html?: string };
export type DeliveredMail = Mail & { at: string };

const maxMails = 1_000;

export class Mailbox {
  readonly #mails: DeliveredMail[] = [];
  readonly #reachable: (text: string) => string;

  /** @param reachable makes addresses in a text ones that lead somewhere on this machine */
  constructor(reachable = (text: string) => text) {
    this.#reachable = reachable;
  }

  deliver({ text, html, ...mail }: Mail, now: number): void {
    const shown = { text: this.#reachable(text), ...(html !== undefined && { html: this.#reachable(html) }) };
    this.#mails.push({ at: new Date(now).toISOString(), ...mail, ...shown });
    if (this.#mails.length > maxMails) this.#mails.shift();
  }

  /** The mails, newest last. @param to only those of this recipient. */
  mails(to?: string): DeliveredMail[] {
    return this.#mails.filter((mail) => to === undefined || mail.to.toLowerCase() === to.toLowerCase());
  }
}
