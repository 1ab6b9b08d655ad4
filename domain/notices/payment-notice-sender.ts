// Mails a notice about a payment, to the addresses that the owner gave for the workspace's billing, else to the owner.
import { disputedReason, unpaidReason } from "../billing/debt.ts";
import type { PaymentNotice } from "../billing/payment-notice.ts";
import { actionRequired } from "../mails/action-required.ts";
import { invoiceFinal } from "../mails/invoice-final.ts";
import { paymentFailed } from "../mails/payment-failed.ts";
import { resumedAfterDebt } from "../mails/resumed.ts";
import { suspendedForDebt } from "../mails/suspended.ts";
import { mailOf, type Platform, type Words } from "../mails/words.ts";
import type { Tenant } from "../workspace/tenant.ts";
import { mailOnce } from "./mail-once.ts";
import type { MailState } from "./notice.ts";
import type { NoticeSenderDependencies } from "./notice-sender.ts";

export interface PaymentNoticeStore {
  get(notice: PaymentNotice): Promise<MailState | undefined>;
  /** Writes the record. @returns false if the stored record is not at the version before */
  put(notice: PaymentNotice, record: MailState): Promise<boolean>;
}

export type PaymentNoticeSenderDependencies = Omit<NoticeSenderDependencies, "records"> & {
  paymentRecords: PaymentNoticeStore;
};

export class PaymentNoticeSender {
  readonly #deps: PaymentNoticeSenderDependencies;

  constructor(deps: PaymentNoticeSenderDependencies) {
    this.#deps = deps;
  }

  /** Mails the notice, if it is due and still true. @throws as `mailOnce` */
  async send(notice: PaymentNotice): Promise<void> {
    const { paymentRecords: records, tenants, users, mailer, platform, log, clock } = this.#deps;
    const put = (next: MailState) => records.put(notice, next);
    const sent = await mailOnce({ put, mailer, clock }, await records.get(notice), async () => {
      const tenant = await tenants.get(notice.tenant_id);
      if (!tenant || !isTrue(notice, tenant) || (await this.#isToldAlready(notice))) return undefined;
      const named = tenant.billing_emails ?? [];
      const { profile } = await users.record(tenant.owner_sub);
      const to = named.length > 0 ? named : profile?.email;
      if (to === undefined) return undefined;
      return mailOf(wordsOf(notice, tenant, { isNamed: named.length > 0 }, platform), to, platform);
    });
    const facts = { tenant_id: notice.tenant_id, kind: notice.what };
    if (sent === "dropped") log.info("notice dropped", facts);
    else if (sent) log.info("notice mailed", { ...facts, sent });
  }

  /** A payment that waits for a person's confirmation fails as well, so its failure is not told twice. */
  async #isToldAlready({ what, invoice, ...rest }: PaymentNotice): Promise<boolean> {
    if (what !== "payment_failed" || !invoice) return false;
    const asked = { ...rest, what: "action_required", about: invoice.id } as const;
    return (await this.#deps.paymentRecords.get(asked)) !== undefined;
  }
}

/** The notice was made before what it tells was written, and that may not have come about. */
function isTrue({ what }: PaymentNotice, { status, suspended_reason }: Tenant): boolean {
  if (what === "resumed") return status === "active";
  if (what !== "suspended") return true;
  return status === "suspended" && (suspended_reason === unpaidReason || suspended_reason === disputedReason);
}

function wordsOf(
  { what, invoice }: PaymentNotice,
  workspace: Tenant,
  recipient: { isNamed: boolean },
  platform: Platform,
): Words {
  const of = { workspace, ...recipient };
  if (what === "suspended") return suspendedForDebt({ ...of, invoice }, platform);
  if (what === "resumed" || !invoice) return resumedAfterDebt(of, platform);
  if (what === "invoice_final") return invoiceFinal({ ...of, invoice }, platform);
  return what === "payment_failed"
    ? paymentFailed({ ...of, invoice }, platform)
    : actionRequired({ ...of, invoice }, platform);
}
