// The meter's dependencies on AWS.

import { logLines } from "../../adapters/cloudwatch-logs.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { ledgerStore } from "../../adapters/dynamodb/ledger.ts";
import { meteringStore } from "../../adapters/dynamodb/metering.ts";
import { rollupStore } from "../../adapters/dynamodb/rollups.ts";
import { spendingStore } from "../../adapters/dynamodb/spending.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import type { MeterDependencies } from "../../domain/spending/metering.ts";
import { Settlements } from "../../domain/spending/settlement.ts";
import { unsettledIn } from "../../domain/spending/unsettled.ts";
import type { Env } from "../contract.ts";
import type { meter } from "./contract.ts";

export function meterDependencies(env: Env<typeof meter>): MeterDependencies {
  const client = documentClient();
  const clock = Date.now;
  const ledger = ledgerStore(client, env.TABLE_NAME);
  const spending = spendingStore(client, env.TABLE_NAME);
  const lines = logLines(env.PROXY_LOG_GROUP);
  return {
    unsettled: (since) => unsettledIn(lines, since),
    ...meteringStore(client, env.TABLE_NAME),
    settlements: new Settlements({ ledger, spending, clock }),
    ledgerHour: ledger.hour,
    rollups: rollupStore(client, env.TABLE_NAME),
    log: powertoolsLog("meter"),
    clock,
  };
}
