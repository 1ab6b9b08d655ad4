// The contract of the function `webhook`, which receives the events of the payment provider: entry, limits and environment.
import * as z from "zod";
import { defineFunction, paymentVariables, trustVariables } from "../contract.ts";

export const webhook = defineFunction({
  entry: "handlers/webhook/lambda.ts",
  // API Gateway waits 30 s at most. The provider delivers an event again that takes longer.
  timeoutSeconds: 29,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    /** A dimension of its metrics. */
    STACK_NAME: z.string().min(1),
    STRIPE_SECRET_ARN: paymentVariables.STRIPE_SECRET_ARN,
    BILLING_TAX: paymentVariables.BILLING_TAX,
    BILLING_MARKUP: paymentVariables.BILLING_MARKUP,
    ...trustVariables,
    /** Undefined where the platform sends no mails. */
    NOTICES_QUEUE_URL: z.url().optional(),
  },
});
