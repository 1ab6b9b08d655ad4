// The queue of the meter's jobs.
import type { MeteringJobQueue } from "../domain/metering/metering-job.ts";
import { queueSender } from "./sqs.ts";

export function meteringJobQueue(url: string, sender = queueSender(url)): MeteringJobQueue {
  return { send: (jobs) => sender.sendAll(jobs.map((job) => ({ body: JSON.stringify(job) }))) };
}
