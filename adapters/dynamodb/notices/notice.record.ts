// The records of notices that were mailed: about limits, about the end of models, and about payments.
import { mailStateSchema, noticeRecordSchema } from "../../../domain/notices/notice.ts";
import { defineRecord } from "../record.ts";

const life = { days: 60, after: "the month" } as const;
const purge = { with: "workspace", by: "partition" } as const;

export const capNoticeRecord = defineRecord({
  kind: "notice",
  title: "notice of a cap",
  pk: "NOTICE#{tenant_id}",
  sk: "{month}#cap",
  schema: noticeRecordSchema,
  version: 1,
  life: life,
  purge: purge,
  written: "by the meter when a threshold is reached; its state by `notify`",
});

export const budgetNoticeRecord = defineRecord({
  kind: "notice",
  title: "notice of a caller's budget",
  pk: "NOTICE#{tenant_id}",
  sk: "{month}#budget#{caller_id}",
  schema: noticeRecordSchema,
  version: 1,
  life: life,
  purge: purge,
  written: "like the notice of a cap",
});

/** The free credit does not begin again, so its notice is kept. */
export const creditNoticeRecord = defineRecord({
  kind: "notice",
  title: "notice of the free credit",
  pk: "NOTICE#{tenant_id}",
  sk: "credit",
  schema: noticeRecordSchema,
  version: 1,
  life: "until purged",
  purge: purge,
  written: "like the notice of a cap",
});

export const modelEndNoticeRecord = defineRecord({
  kind: "notice",
  title: "notice of a model's end",
  pk: "NOTICE#{tenant_id}",
  sk: "model_end#{model}#{at}#{last_day}",
  schema: mailStateSchema,
  version: 1,
  life: { days: 60, after: "the model's last day" },
  purge: purge,
  written:
    "by the meter when it closes an hour in which the model was called, a month before its last day; its state by `notify`",
});

export const paymentNoticeRecord = defineRecord({
  kind: "notice",
  title: "notice of a payment",
  pk: "NOTICE#{tenant_id}",
  sk: "payment#{what}#{about}",
  schema: mailStateSchema,
  version: 1,
  life: life,
  purge: purge,
  written: "by `webhook` or `payments`, when they learn of the payment; its state by `notify`",
});
