// The contract of the function `reconcile`: entry, limits and environment.
import * as z from "zod";
import { askedFunctions, defineFunction } from "../contract.ts";

export const reconcile = defineFunction({
  entry: "handlers/reconcile/lambda.ts",
  // A job that fails comes back after six timeouts (components/queue.ts), when every claim on a step is over.
  timeoutSeconds: 30,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    JOBS_QUEUE_URL: z.url(),
    ...askedFunctions,
  },
});
