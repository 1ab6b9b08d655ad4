// The contract of the function `report`, which reports usage to the payment provider: entry, limits and environment.
import * as z from "zod";
import { defineFunction, paymentVariables } from "../contract.ts";

export const report = defineFunction({
  entry: "handlers/report/lambda.ts",
  // A job that needs longer goes on with the next schedule.
  timeoutSeconds: 150,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    JOBS_QUEUE_URL: z.url(),
    STACK_NAME: z.string().min(1),
    STRIPE_SECRET_ARN: paymentVariables.STRIPE_SECRET_ARN,
    BILLING_MARKUP: paymentVariables.BILLING_MARKUP,
    TRIAL_CAP: paymentVariables.TRIAL_CAP,
  },
});
