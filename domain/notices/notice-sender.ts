// Mails a notice of a limit that is due.
import { isServiceAccount } from "../access/api-key.ts";
import type { Log } from "../kernel/log.ts";
import type { Mailer } from "../kernel/mail.ts";
import { mailOf } from "../mails/words.ts";
import type { UserStore } from "../people/user.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import { mailOnce } from "./mail-once.ts";
import { isPastMonth, type NoticeStore, type NoticeSubject } from "./notice.ts";
import { type NoticePlatform, noticeMail } from "./notice-mail.ts";

export type NoticeSenderDependencies = {
  records: Pick<NoticeStore, "get" | "put">;
  tenants: Pick<TenantStore, "get">;
  users: Pick<UserStore, "record">;
  mailer: Mailer;
  platform: NoticePlatform;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

export class NoticeSender {
  readonly #deps: NoticeSenderDependencies;

  constructor(deps: NoticeSenderDependencies) {
    this.#deps = deps;
  }

  /** Mails the notice, if it is due. @throws as `mailOnce` */
  async send(subject: NoticeSubject): Promise<void> {
    const { records, tenants, mailer, log, platform, clock } = this.#deps;
    const record = await records.get(subject);
    if (!record) return;
    const put = (next: typeof record) => records.put(subject, next);
    const sent = await mailOnce({ put, mailer, clock }, record, async () => {
      const tenant = await tenants.get(subject.tenant_id);
      const to = tenant && (await this.#recipient(subject, tenant));
      if (!tenant || to === undefined || isPastMonth(subject, clock())) return undefined;
      return mailOf(noticeMail({ tenant, subject, record }, platform), to, platform);
    });
    const facts = { tenant_id: subject.tenant_id, kind: subject.kind, threshold: record.threshold };
    if (sent === "dropped") log.info("notice dropped", facts);
    else if (sent) log.info("notice mailed", { ...facts, sent });
  }

  /** The caller's address if the caller is a person and still a member, else the owner's. Undefined if the workspace is not active. */
  async #recipient(subject: NoticeSubject, tenant: Tenant): Promise<string | undefined> {
    if (tenant.status !== "active") return undefined;
    if (subject.kind === "credit" && tenant.has_payment_method) return undefined;
    const isPerson = subject.kind === "budget" && !isServiceAccount(subject.caller_id);
    const { profile, memberships } = await this.#deps.users.record(isPerson ? subject.caller_id : tenant.owner_sub);
    const isMember = memberships.some(({ tenant_id, status }) => tenant_id === tenant.tenant_id && status === "active");
    return isMember ? profile?.email : undefined;
  }
}
