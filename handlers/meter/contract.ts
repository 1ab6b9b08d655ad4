// The contract of the function `meter`: entry, limits and environment.
import * as z from "zod";
import { defineFunction, flag, paymentVariables } from "../contract.ts";

export const meter = defineFunction({
  entry: "handlers/meter/lambda.ts",
  // A job that needs longer goes on where it was: after six timeouts (components/queue.ts), or with the next schedule.
  timeoutSeconds: 150,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    /** True if the stack takes up new models of a family by itself. */
    NEW_MODELS: flag,
    JOBS_QUEUE_URL: z.url(),
    /** Whether people are told of their free credit: false where nobody pays. */
    FREE_CREDIT: flag,
    TRIAL_CAP: paymentVariables.TRIAL_CAP.optional(),
    /** The log group of the model host's invocations, if they are logged. */
    INVOCATION_LOG_GROUP: z.string().min(1).optional(),
    /** The role by which that log is searched, where another account has the models. */
    INVOCATION_LOG_ROLE_ARN: z.string().min(1).optional(),
    /** The queue of notices to be mailed; absent in a stack without a sender of mails. */
    NOTICES_QUEUE_URL: z.url().optional(),
  },
});
