// How mails name an invoice.
import { monthName, type Part } from "./words.ts";

export type MailedInvoice = {
  id: string;
  number?: string | undefined;
  /** `2026-11` */
  month: string;
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

export function nameOf({ id, number, month }: MailedInvoice): string {
  return `invoice ${number ?? id} (usage until the end of ${monthName(month)})`;
}

/** The payment provider's page, on which it can be paid and downloaded. */
export function pageOf({ url }: MailedInvoice, label: string): Part[] {
  return url === undefined ? [] : [{ label, link: url }];
}
