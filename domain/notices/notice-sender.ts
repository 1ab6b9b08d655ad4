// Mails a notice that is due. Its message in the queue may come twice, and the function may die at any point.
import { isServiceAccount } from "../access/api-key.ts";
import type { Log } from "../kernel/log.ts";
import { type Mailer, MailUncertain } from "../kernel/mail.ts";
import { mailOf } from "../mails/words.ts";
import type { Tenant, TenantStore } from "../workspace/tenant.ts";
import type { UserStore } from "../workspace/user.ts";
import { isPastMonth, type NoticeRecord, type NoticeStore, type NoticeSubject, withState } from "./notice.ts";
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

/** A notice that is `sending` for longer belongs to a function that died: its timeout is shorter (handlers/notify/contract.ts). */
const sendingMs = 60_000;

export class NoticeUnknown extends Error {
  override name = "NoticeUnknown";

  constructor(options?: ErrorOptions) {
    super("Nobody knows whether a notice was mailed, so it is not mailed again", options);
  }
}

export class NoticeSender {
  readonly #deps: NoticeSenderDependencies;

  constructor(deps: NoticeSenderDependencies) {
    this.#deps = deps;
  }

  /**
   * Mails the notice, if it is due. A repeat does not mail it again.
   * @throws NoticeUnknown at each repeat if the mail may have been sent; any other error leaves the notice due
   */
  async send(subject: NoticeSubject): Promise<void> {
    const { records, clock } = this.#deps;
    const record = await records.get(subject);
    if (!record) return;
    if (record.state === "due") return this.#sendDue(subject, record);
    if (record.state === "unknown") throw new NoticeUnknown();
    if (record.state !== "sending") return;
    if (clock() - record.changed_at < sendingMs) throw new Error("A notice is being mailed by another");
    await this.#move(subject, record, "unknown");
    throw new NoticeUnknown();
  }

  async #sendDue(subject: NoticeSubject, record: NoticeRecord): Promise<void> {
    const { mailer, log, platform, clock } = this.#deps;
    const facts = { tenant_id: subject.tenant_id, kind: subject.kind, threshold: record.threshold };
    const tenant = await this.#deps.tenants.get(subject.tenant_id);
    const to = tenant && (await this.#recipient(subject, tenant));
    if (!tenant || to === undefined || isPastMonth(subject, clock())) {
      await this.#move(subject, record, "dropped");
      log.info("notice dropped", facts);
      return;
    }
    const sending = await this.#move(subject, record, "sending");
    // Another function is sending it, or the meter has found a higher threshold, which has a message of its own.
    if (!sending) return;
    const mail = mailOf(noticeMail({ tenant, subject, record }, platform), to, platform);
    const sent = await mailer.send(mail).catch(async (error) => {
      const isUncertain = error instanceof MailUncertain;
      await this.#move(subject, sending, isUncertain ? "unknown" : "due");
      throw isUncertain ? new NoticeUnknown({ cause: error }) : error;
    });
    // If this write fails, a repeat finds the record `sending` and sets it to `unknown`.
    await this.#move(subject, sending, sent === "sent" ? "sent" : "dropped");
    log.info("notice mailed", { ...facts, sent });
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

  async #move(
    subject: NoticeSubject,
    record: NoticeRecord,
    state: NoticeRecord["state"],
  ): Promise<NoticeRecord | undefined> {
    const to = withState(record, state, this.#deps.clock());
    return (await this.#deps.records.put(subject, to)) ? to : undefined;
  }
}
