// The meter's dependencies on AWS.
import { logLines } from "../../adapters/cloudwatch-logs.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger.ts";
import { meteringStore } from "../../adapters/dynamodb/metering.ts";
import { rollupStore } from "../../adapters/dynamodb/rollups.ts";
import { spendingStore } from "../../adapters/dynamodb/spending.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import type { Env } from "../contract.ts";
import type { meter } from "./contract.ts";
import type { MeterDependencies } from "./dependencies.ts";

export function meterDependencies(env: Env<typeof meter>): MeterDependencies {
  const client = documentClient();
  const clock = Date.now;
  return {
    ...meteringStore(client, env.TABLE_NAME),
    proxyLog: logLines(env.PROXY_LOG_GROUP),
    spending: spendingStore(client, env.TABLE_NAME, clock),
    ledger: ledgerStore(client, env.TABLE_NAME),
    rollups: rollupStore(client, env.TABLE_NAME),
    log: powertoolsLog("meter"),
    clock,
  };
}
