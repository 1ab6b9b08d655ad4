// The queue of tenants to be purged.
import type { PurgeJobQueue } from "../domain/provisioning/purge.ts";
import { queueSender } from "./sqs.ts";

export function purgeJobQueue(url: string, sender = queueSender(url)): PurgeJobQueue {
  return {
    send: (job, delaySeconds) => sender.send({ body: JSON.stringify(job), delaySeconds }),
    sendAll: (jobs) => sender.sendAll(jobs.map((job) => ({ body: JSON.stringify(job) }))),
  };
}
