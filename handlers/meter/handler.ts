// The meter: its schedule queues the jobs, its queue does them. What fails is logged, and tried again by the queue.
import middy from "@middy/core";
import type { EventBridgeEvent, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { Reclaim } from "../../domain/budget/reclaim.ts";
import { modelOfProfile } from "../../domain/catalog/catalog.ts";
import { Closing } from "../../domain/metering/closing.ts";
import { Meter } from "../../domain/metering/metering.ts";
import { jobsAt, meteringJobSchema } from "../../domain/metering/metering-job.ts";
import { Notices } from "../../domain/notices/notices.ts";
import { queueBatch } from "../middleware/queue-batch.ts";
import type { MeterDependencies } from "./dependencies.ts";

type ScheduledEvent = Pick<EventBridgeEvent<"Scheduled Event", unknown>, "source" | "detail-type">;
export type MeterEvent = SQSEvent | ScheduledEvent;

export function meterHandler(deps: MeterDependencies) {
  const modelOf = (profile: string) => modelOfProfile(deps.catalog, profile);
  const meter = new Meter({
    ...deps,
    reclaim: new Reclaim({ ...deps, modelOf }),
    closing: new Closing(deps),
    notices: deps.noticing && new Notices({ ...deps.noticing, clock: deps.clock }),
  });
  const jobs = queueBatch({ body: meteringJobSchema, work: (job) => meter.run(job), log: deps.log });

  return middy<MeterEvent, SQSBatchResponse | undefined>().handler(async (event) => {
    if ("Records" in event) return jobs(event);
    try {
      await deps.jobs.send(jobsAt(deps.clock()));
      return undefined;
    } catch (error) {
      deps.log.problem("The meter's jobs could not be queued", {}, error);
      throw error;
    }
  });
}
