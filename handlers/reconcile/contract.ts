// The contract of the function `reconcile`: entry, limits and environment.
import * as z from "zod";
import { askedFunctions, defineFunction, integer } from "../contract.ts";

export const reconcile = defineFunction({
  entry: "handlers/reconcile/lambda.ts",
  // A job that fails comes back after six timeouts (components/queue.ts), when every claim on a step is over.
  timeoutSeconds: 30,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    JOBS_QUEUE_URL: z.url(),
    ...askedFunctions,
    /** How many new workspaces of owners without a payment method get a free credit on a day; absent where it ends no calls. */
    FREE_GRANTS_A_DAY: integer.optional(),
  },
});
