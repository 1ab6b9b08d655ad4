// Mails the notice that a model ends, to the workspace's owner.
import { modelEnd } from "../mails/model-end.ts";
import { mailOf } from "../mails/words.ts";
import { mailOnce } from "./mail-once.ts";
import type { ModelEndNotice, ModelEndNoticeStore } from "./model-end-notice.ts";
import type { MailState } from "./notice.ts";
import type { NoticeSenderDependencies } from "./notice-sender.ts";

export type ModelEndNoticeSenderDependencies = Omit<NoticeSenderDependencies, "records"> & {
  endRecords: ModelEndNoticeStore;
};

export class ModelEndNoticeSender {
  readonly #deps: ModelEndNoticeSenderDependencies;

  constructor(deps: ModelEndNoticeSenderDependencies) {
    this.#deps = deps;
  }

  /** Mails the notice, if it is due and the workspace still active. @throws as `mailOnce` */
  async send(notice: ModelEndNotice): Promise<void> {
    const { endRecords: records, tenants, users, mailer, platform, log, clock } = this.#deps;
    const put = (next: MailState) => records.put(notice, next);
    const sent = await mailOnce({ put, mailer, clock }, await records.get(notice), async () => {
      const tenant = await tenants.get(notice.tenant_id);
      if (tenant?.status !== "active") return undefined;
      const { profile } = await users.record(tenant.owner_sub);
      return profile && mailOf(modelEnd({ ...notice, workspace: tenant }, platform), profile.email, platform);
    });
    const facts = { tenant_id: notice.tenant_id, kind: notice.kind, model: notice.model };
    if (sent === "dropped") log.info("notice dropped", facts);
    else if (sent) log.info("notice mailed", { ...facts, sent });
  }
}
