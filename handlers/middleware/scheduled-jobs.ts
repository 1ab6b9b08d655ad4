// The handler of a function that a schedule and a queue start: the schedule's event queues jobs, the queue's events carry them out.
import type { EventBridgeEvent, SQSBatchResponse, SQSEvent } from "aws-lambda";
import type * as z from "zod";
import { scheduledWorkDone } from "../../domain/kernel/log.ts";
import { type QueueWork, queueBatch } from "./queue-batch.ts";

export type ScheduledEvent = Pick<EventBridgeEvent<"Scheduled Event", unknown>, "source" | "detail-type">;

type ScheduledJobs<Body extends z.ZodType> = QueueWork<Body> & {
  /** Does the work of the schedule. If it throws, the error is logged, and Lambda invokes the function again. */
  schedule(): Promise<void>;
};

export function scheduledJobs<Body extends z.ZodType>({ schedule, log, ...work }: ScheduledJobs<Body>) {
  const processJobs = queueBatch({ ...work, log });
  return async (event: SQSEvent | ScheduledEvent): Promise<SQSBatchResponse | undefined> => {
    if ("Records" in event) return processJobs(event);
    try {
      await schedule();
      log.info(scheduledWorkDone, {});
      return undefined;
    } catch (error) {
      log.problem("The scheduled work failed", {}, error);
      throw error;
    }
  };
}
