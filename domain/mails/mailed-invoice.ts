// How mails name an invoice.
import { monthName, type Part, timeOf } from "./words.ts";

export type MailedInvoice = {
  id: string;
  number?: string | undefined;
  /** The workspace that it bills, where the mail is of another one. */
  workspace?: string | undefined;
  /** `2026-11` */
  month: string;
  /** Set for an invoice that was made before its month's end: the time of that, in milliseconds. */
  madeEarlyAt?: number | undefined;
  totalCents: number;
  dueCents: number;
  currency: string;
  /** Milliseconds. */
  nextAttemptAt?: number | undefined;
  url?: string | undefined;
};

/** `31.07 USD` */
export function amountOf(cents: number, currency: string): string {
  return `${(cents / 100).toFixed(2)} ${currency.toUpperCase()}`;
}

export function nameOf({ id, number, workspace, month, madeEarlyAt }: MailedInvoice): string {
  const until = madeEarlyAt === undefined ? `the end of ${monthName(month)}` : timeOf(madeEarlyAt);
  const of = workspace === undefined ? "" : ` of the owner's workspace ${workspace}`;
  return `invoice ${number ?? id}${of} (usage until ${until})`;
}

/** The payment provider's page, on which it can be paid and downloaded. */
export function pageOf({ url }: MailedInvoice, label: string): Part[] {
  return url === undefined ? [] : [{ label, link: url }];
}
