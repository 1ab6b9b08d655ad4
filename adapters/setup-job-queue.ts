// The queue of setups to be completed.
import type { SetupJobQueue } from "../domain/provisioning/tenant-setup.ts";
import { queueSender } from "./sqs.ts";

export function setupJobQueue(url: string, sender = queueSender(url)): SetupJobQueue {
  return {
    send: (job, delaySeconds = 0) => sender.send({ body: JSON.stringify(job), delaySeconds }),
    sendAll: (jobs) => sender.sendAll(jobs.map((job) => ({ body: JSON.stringify(job) }))),
  };
}
