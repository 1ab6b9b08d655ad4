// The mail that the platform sent, for people and tests to read.

export type Mail = { to: string; subject: string; text: string };
export type DeliveredMail = Mail & { at: string };

const maxMails = 1_000;

export class Mailbox {
  readonly #mails: DeliveredMail[] = [];

  deliver(mail: Mail, now: number): void {
    this.#mails.push({ at: new Date(now).toISOString(), ...mail });
    if (this.#mails.length > maxMails) this.#mails.shift();
  }

  /** The mails, newest last. @param to only those of this recipient. */
  mails(to?: string): DeliveredMail[] {
    return this.#mails.filter((mail) => to === undefined || mail.to.toLowerCase() === to.toLowerCase());
  }
}
