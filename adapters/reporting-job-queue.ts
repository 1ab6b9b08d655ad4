// The queue of the jobs that report usage.
import type { ReportingJobQueue } from "../domain/reporting/reporting-job.ts";
import { queueSender } from "./sqs.ts";

export function reportingJobQueue(url: string, sender = queueSender(url)): ReportingJobQueue {
  return { send: (jobs) => sender.sendAll(jobs.map((job) => ({ body: JSON.stringify(job) }))) };
}
