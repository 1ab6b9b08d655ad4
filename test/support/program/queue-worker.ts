// A function that works off a queue, as the product's are written: `bad` fails, and of the others it tells another queue.
import * as z from "zod";
import { powertoolsLog } from "../../../adapters/log.ts";
import { jobQueue } from "../../../adapters/sqs.ts";
import { queueBatch } from "../../../handlers/middleware/queue-batch.ts";

const done = jobQueue(process.env.DONE_QUEUE_URL ?? "");

export const handler = queueBatch({
  body: z.object({ job: z.string() }),
  log: powertoolsLog("worker"),
  async work({ job }) {
    if (job === "bad") throw new Error("This job cannot be done");
    await done.sendAll([{ done: job }]);
  },
});
