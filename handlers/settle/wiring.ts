// The dependencies on AWS of settling from the queue.
import catalogData from "#catalog";
import { ledgerTransactions } from "../../adapters/dynamodb/budget/ledger-transactions.ts";
import { spendingStore } from "../../adapters/dynamodb/budget/spending.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger/ledger.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import { parseCatalog } from "../../domain/catalog/catalog.ts";
import type { Env } from "../contract.ts";
import type { settle } from "./contract.ts";
import type { SettleDependencies } from "./handler.ts";

export function settleDependencies(env: Env<typeof settle>): SettleDependencies {
  const client = documentClient();
  const tableName = env.TABLE_NAME;
  const clock = Date.now;
  return {
    ledger: ledgerStore(client, tableName),
    spending: spendingStore({ client, tableName, clock }),
    transactions: ledgerTransactions(client, tableName),
    catalog: parseCatalog(catalogData),
    deadLetters: jobQueue(env.DEAD_LETTERS_URL),
    log: powertoolsLog("settle"),
    clock,
  };
}
