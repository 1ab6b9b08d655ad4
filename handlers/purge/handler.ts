// The purge: its schedule queues the tenants that are due, its queue removes them. What fails is logged, and tried again by the queue.
import middy from "@middy/core";
import type { EventBridgeEvent, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { dueUntil, type PurgeJob, purgeJobSchema, purgeTenant } from "../../domain/provisioning/purge.ts";
import { queueBatch } from "../middleware/queue-batch.ts";
import type { PurgeHandlerDependencies } from "./dependencies.ts";

type ScheduledEvent = Pick<EventBridgeEvent<"Scheduled Event", unknown>, "source" | "detail-type">;
export type PurgeEvent = SQSEvent | ScheduledEvent;

export function purgeHandler(deps: PurgeHandlerDependencies) {
  const { remains, jobs, log, clock } = deps;
  const work = queueBatch({ body: purgeJobSchema, work: (job) => purgeTenant(deps, job), log });

  return middy<PurgeEvent, SQSBatchResponse | undefined>().handler(async (event) => {
    if ("Records" in event) return work(event);
    try {
      const due: PurgeJob[] = [];
      for await (const tenant_id of remains.deletedUntil(dueUntil(clock()))) due.push({ tenant_id });
      await jobs.sendAll(due);
      return undefined;
    } catch (error) {
      log.problem("The tenants to be purged could not be queued", {}, error);
      throw error;
    }
  });
}
