// A Pulumi program of two queues and a function between them.
import * as z from "zod";
import { LambdaFunction } from "../../../components/lambda-function.ts";
import { sendLink } from "../../../components/link.ts";
import { Queue } from "../../../components/queue.ts";
import { defineFunction } from "../../../handlers/contract.ts";

const contract = defineFunction({
  entry: "test/support/program/queue-worker.ts" as "handlers/worker/lambda.ts",
  timeoutSeconds: 10,
  memoryMb: 256,
  env: { DONE_QUEUE_URL: z.url() },
});

const jobs = new Queue("jobs", { consumer: contract, batchSize: 5, maxReceiveCount: 2 });
const done = new Queue("done", { consumer: contract });
new LambdaFunction("worker", {
  contract,
  consumes: jobs,
  environment: { DONE_QUEUE_URL: sendLink(done.queue) },
});
