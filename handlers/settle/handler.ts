// Settles the calls that the proxy could not, from the queue of unsettled usage. A message may come twice, and after any other write.

import { type SettlementDependencies, Settlements } from "../../domain/budget/settlement.ts";
import { maxAgeMs, type UnsettledUsage, unsettledSchema } from "../../domain/budget/unsettled.ts";
import { type Catalog, modelOfProfile } from "../../domain/catalog/catalog.ts";
import type { Log } from "../../domain/kernel/log.ts";
import type { Queue } from "../../domain/kernel/queue.ts";
import { queueBatch } from "../middleware/queue-batch.ts";

export type SettleDependencies = Pick<SettlementDependencies, "ledger" | "spending" | "transactions"> & {
  catalog: Catalog;
  deadLetters: Pick<Queue<UnsettledUsage>, "send">;
  log: Log;
  /** Milliseconds since the epoch. */
  clock: () => number;
};

export function settleHandler(deps: SettleDependencies) {
  const settlements = new Settlements({ ...deps, modelOf: (profile) => modelOfProfile(deps.catalog, profile) });

  async function work(unsettled: UnsettledUsage): Promise<void> {
    const { key, reservation, answerLost, givenUp, outcome } = unsettled;
    const facts = { request_id: reservation.requestId, tenant_id: key.tenantId };
    if (deps.clock() - reservation.admittedAt > maxAgeMs) {
      await deps.deadLetters.send(unsettled);
      deps.log.problem("Usage is too old to be settled", facts);
      return;
    }
    const settled = { key, reservation, isOld: true, answerLost };
    if (givenUp) await settlements.giveUp(key, reservation);
    else if (outcome) await settlements.settle(settled, outcome);
    else await settlements.release(settled);
    deps.log.info("usage settled from the queue", facts);
  }

  return queueBatch({ body: unsettledSchema, work, log: deps.log });
}
