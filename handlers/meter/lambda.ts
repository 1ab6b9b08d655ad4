// AWS runs this as the function `meter`, with the table and its queues.
import { setTimeout as pause } from "node:timers/promises";
import catalogData from "#catalog";
import { logsClient } from "../../adapters/cloudwatch-logs/insights-query.ts";
import { invocationLog } from "../../adapters/cloudwatch-logs/invocation-log.ts";
import { activeCallerStore } from "../../adapters/dynamodb/budget/active-callers.ts";
import { ownerAllowances } from "../../adapters/dynamodb/budget/allowances.ts";
import { creditReader } from "../../adapters/dynamodb/budget/credits.ts";
import { ledgerTransactions } from "../../adapters/dynamodb/budget/ledger-transactions.ts";
import { spendingStore } from "../../adapters/dynamodb/budget/spending.ts";
import { unexplainedStore } from "../../adapters/dynamodb/budget/unexplained.ts";
import { workspaceCapStore } from "../../adapters/dynamodb/budget/workspace-caps.ts";
import { takenModelStore } from "../../adapters/dynamodb/catalog/survey-store.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger/ledger.ts";
import { meteringProgressStore } from "../../adapters/dynamodb/ledger/metering-progress.ts";
import { rollupStore } from "../../adapters/dynamodb/ledger/rollups.ts";
import { hourReportStore, lateCorrections } from "../../adapters/dynamodb/metering/hour-reports.ts";
import { limitReader } from "../../adapters/dynamodb/notices/limits.ts";
import { modelEndNoticeRecords } from "../../adapters/dynamodb/notices/model-end-notice-records.ts";
import { noticeRecords } from "../../adapters/dynamodb/notices/notice-records.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { roleCredentials } from "../../adapters/sts.ts";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import { LiveCatalog } from "../../domain/catalog/live-catalog.ts";
import { readEnv } from "../contract.ts";
import { meter } from "./contract.ts";
import { meterHandler } from "./handler.ts";

const env = readEnv(meter);
const client = documentClient();
const tableName = env.TABLE_NAME;
const rows = rowsOf(client, tableName);
const clock = Date.now;
const logReader =
  env.INVOCATION_LOG_ROLE_ARN === undefined ? undefined : roleCredentials(env.INVOCATION_LOG_ROLE_ARN, "meter");

const catalog = new LiveCatalog({
  catalog: parseCatalog(catalogData),
  read: env.NEW_MODELS ? takenModelStore(rows).read : undefined,
  log: powertoolsLog("meter"),
  clock,
});

export const handler = catalog.before(
  meterHandler({
    activeCallers: activeCallerStore(rows),
    spending: spendingStore({ client, tableName, clock }),
    ledger: ledgerStore(rows),
    credits: creditReader(rows),
    transactions: ledgerTransactions(rows),
    rollups: rollupStore(rows),
    reports: hourReportStore(rows),
    lateCorrections: lateCorrections(rows),
    allowances: ownerAllowances(rows),
    caps: workspaceCapStore(rows),
    unexplained: unexplainedStore(rows),
    trialCap: env.TRIAL_CAP,
    progress: meteringProgressStore(rows),
    jobs: jobQueue(env.JOBS_QUEUE_URL),
    invocations:
      env.INVOCATION_LOG_GROUP === undefined
        ? undefined
        : invocationLog({
            logGroup: env.INVOCATION_LOG_GROUP,
            clock,
            pause: (milliseconds) => pause(milliseconds),
            client: (region) => logsClient(region, logReader),
          }),
    noticing:
      env.NOTICES_QUEUE_URL === undefined
        ? undefined
        : {
            limits: limitReader(rows, { withCredit: env.FREE_CREDIT }),
            records: noticeRecords(rows),
            endRecords: modelEndNoticeRecords(rows),
            queue: jobQueue(env.NOTICES_QUEUE_URL),
          },
    catalog,
    log: powertoolsLog("meter"),
    clock,
  }),
);
