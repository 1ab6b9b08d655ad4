// The meter, on a schedule. What fails is logged and done by the next run.
import middy from "@middy/core";
import { Meter } from "../../domain/spending/metering.ts";
import { Settlements } from "../../domain/spending/settlement.ts";
import { unsettledIn } from "../../domain/spending/unsettled.ts";
import type { MeterDependencies } from "./dependencies.ts";

export function meterHandler(deps: MeterDependencies) {
  const meter = new Meter({
    ...deps,
    unsettled: (since) => unsettledIn(deps.proxyLog, since),
    settlements: new Settlements(deps),
    ledgerHour: (tenantId, hour) => deps.ledger.hour(tenantId, hour),
  });
  return middy().handler(async () => {
    try {
      await meter.run();
    } catch (error) {
      deps.log.problem("The meter's run failed", {}, error);
      throw error;
    }
  });
}
