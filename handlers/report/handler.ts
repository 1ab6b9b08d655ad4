// Reports usage to the payment provider: its schedule queues the jobs, its queue does them.
import middy from "@middy/core";
import type { EventBridgeEvent, SQSBatchResponse, SQSEvent } from "aws-lambda";
import { reportingJobSchema, reportingJobs, reportShard } from "../../domain/reporting/reporting-job.ts";
import { UsageReporting } from "../../domain/reporting/usage-reporting.ts";
import { queueBatch } from "../middleware/queue-batch.ts";
import type { ReportDependencies } from "./dependencies.ts";

type ScheduledEvent = Pick<EventBridgeEvent<"Scheduled Event", unknown>, "source" | "detail-type">;
export type ReportEvent = SQSEvent | ScheduledEvent;

export function reportHandler(deps: ReportDependencies) {
  const { outbox, jobs, log } = deps;
  const work = queueBatch({
    body: reportingJobSchema,
    log,
    work: async (job) => {
      const reporting = new UsageReporting({ ...deps, payments: await deps.payments() });
      await reportShard({ outbox, reporting, log }, job);
    },
  });

  return middy<ReportEvent, SQSBatchResponse | undefined>().handler(async (event) => {
    if ("Records" in event) return work(event);
    try {
      await jobs.send(reportingJobs);
      return undefined;
    } catch (error) {
      log.problem("The reporting's jobs could not be queued", {}, error);
      throw error;
    }
  });
}
