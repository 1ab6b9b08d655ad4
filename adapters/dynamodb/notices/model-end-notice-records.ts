// Notices that a model ends, in the table: a record for each workspace, model and last day.
import type { ModelEndNotice, ModelEndNoticeStore } from "../../../domain/notices/model-end-notice.ts";
import { mailStateSchema } from "../../../domain/notices/notice.ts";
import type { Rows } from "../rows.ts";
import { follows } from "../write.ts";
import { modelEndNoticeRecord } from "./notice.record.ts";

export function modelEndNoticeRecords(rows: Rows): ModelEndNoticeStore {
  const keyOf = ({ tenant_id, model, at, last_day }: ModelEndNotice) =>
    modelEndNoticeRecord.key({ tenant_id, model, at, last_day });
  return {
    get: async (notice) => mailStateSchema.safeParse(await rows.get(keyOf(notice))).data,
    put: (notice, record) => {
      const end = { expires_at: modelEndNoticeRecord.expiresAt(Date.parse(notice.last_day)) };
      return rows.put({ ...keyOf(notice), ...record, ...end }, follows(record.version));
    },
  };
}
