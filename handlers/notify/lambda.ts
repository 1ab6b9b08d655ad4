// AWS runs this as the function `notify`, with the table and the sender of mails.
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { modelEndNoticeRecords } from "../../adapters/dynamodb/notices/model-end-notice-records.ts";
import { noticeRecords } from "../../adapters/dynamodb/notices/notice-records.ts";
import { paymentNoticeRecords } from "../../adapters/dynamodb/notices/payment-notice-records.ts";
import { userStore } from "../../adapters/dynamodb/people/users.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { mailer } from "../../adapters/mail.ts";
import { platformOf, readEnv } from "../contract.ts";
import { notify } from "./contract.ts";
import { notifyHandler } from "./handler.ts";

const env = readEnv(notify);
const rows = rowsOf(documentClient(), env.TABLE_NAME);

export const handler = notifyHandler({
  records: noticeRecords(rows),
  endRecords: modelEndNoticeRecords(rows),
  paymentRecords: paymentNoticeRecords(rows),
  tenants: tenantStore(rows),
  users: userStore(rows),
  mailer: mailer(env),
  platform: { apiUrl: env.API_URL, ...platformOf(env) },
  log: powertoolsLog("notify"),
  clock: Date.now,
});
