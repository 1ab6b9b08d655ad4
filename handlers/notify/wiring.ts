// The dependencies on AWS of mailing notices.
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { noticeRecords } from "../../adapters/dynamodb/notices/notice-records.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { userStore } from "../../adapters/dynamodb/workspace/users.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { mailer } from "../../adapters/mail.ts";
import type { NoticeSenderDependencies } from "../../domain/notices/notice-sender.ts";
import type { Env } from "../contract.ts";
import type { notify } from "./contract.ts";

export function notifyDependencies(env: Env<typeof notify>): NoticeSenderDependencies {
  const client = documentClient();
  return {
    records: noticeRecords(client, env.TABLE_NAME),
    tenants: tenantStore(client, env.TABLE_NAME),
    users: userStore(client, env.TABLE_NAME),
    mailer: mailer(env),
    addresses: { apiUrl: env.API_URL, consoleUrl: env.CONSOLE_URL },
    log: powertoolsLog("notify"),
    clock: Date.now,
  };
}
