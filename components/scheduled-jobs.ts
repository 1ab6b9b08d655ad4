// A function that a schedule and a queue start (handlers/middleware/scheduled-jobs.ts): the schedule has it queue jobs, and the queue
// hands it one job at a time.
import type * as aws from "@pulumi/aws";
import type * as pulumi from "@pulumi/pulumi";
import type { FunctionContract } from "../handlers/contract.ts";
import { type Environment, LambdaFunction } from "./lambda-function.ts";
import { type Link, sendLink } from "./link.ts";
import { Queue } from "./queue.ts";
import { Schedule } from "./schedule.ts";

type ScheduledJobsArgs<C extends FunctionContract> = {
  contract: C;
  /** @param jobs the queue's URL, with the right to send */
  environment: (jobs: Link) => Environment<C>;
  everyMinutes: number;
  jobsAtOnce: number;
  /** How often a job is tried before it is a dead letter. */
  maxReceiveCount?: number;
  catalogFile?: string | undefined;
  /** The function's role, if something else has to name it before the function exists. */
  role?: aws.iam.Role;
};

export function scheduledJobs<C extends FunctionContract>(
  name: string,
  {
    contract,
    environment,
    everyMinutes,
    jobsAtOnce: maxConcurrency,
    maxReceiveCount,
    catalogFile,
    role,
  }: ScheduledJobsArgs<C>,
  opts: pulumi.ComponentResourceOptions,
): { jobs: Queue; function: LambdaFunction<C> } {
  const tries = maxReceiveCount === undefined ? {} : { maxReceiveCount };
  const jobs = new Queue(`${name}-jobs`, { consumer: contract, batchSize: 1, maxConcurrency, ...tries }, opts);
  const fn = new LambdaFunction(
    name,
    { contract, catalogFile, role, consumes: jobs, environment: environment(sendLink(jobs.queue)) },
    opts,
  );
  new Schedule(name, { function: fn, everyMinutes }, opts);
  return { jobs, function: fn };
}
