// AWS runs this as the function `settle`: it gives the handler the table and the dead-letter queue.
import catalogData from "#catalog";
import { ledgerTransactions } from "../../adapters/dynamodb/budget/ledger-transactions.ts";
import { spendingStore } from "../../adapters/dynamodb/budget/spending.ts";
import { takenModelStore } from "../../adapters/dynamodb/catalog/survey-store.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger/ledger.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import { LiveCatalog } from "../../domain/catalog/live-catalog.ts";
import { readEnv } from "../contract.ts";
import { settle } from "./contract.ts";
import { settleHandler } from "./handler.ts";

const env = readEnv(settle);
const client = documentClient();
const tableName = env.TABLE_NAME;
const rows = rowsOf(client, tableName);
const clock = Date.now;

const catalog = new LiveCatalog({
  catalog: parseCatalog(catalogData),
  read: env.NEW_MODELS ? takenModelStore(rows).read : undefined,
  log: powertoolsLog("settle"),
  clock,
});

export const handler = catalog.before(
  settleHandler({
    ledger: ledgerStore(rows),
    spending: spendingStore({ client, tableName, clock }),
    transactions: ledgerTransactions(rows),
    catalog,
    deadLetters: jobQueue(env.DEAD_LETTERS_URL),
    log: powertoolsLog("settle"),
    clock,
  }),
);
