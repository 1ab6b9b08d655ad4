// The contract of the function `payments`: entry, limits and environment.
import * as z from "zod";
import { defineFunction, paymentVariables, trustVariables } from "../contract.ts";

export const payments = defineFunction({
  entry: "handlers/payments/lambda.ts",
  // A claim on a step of a creation is longer than this (domain/provisioning/setup-manifest.ts).
  timeoutSeconds: 30,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    /** A dimension of its metrics. */
    STACK_NAME: z.string().min(1),
    ...paymentVariables,
    ...trustVariables,
    /** Undefined where the platform sends no mails. */
    NOTICES_QUEUE_URL: z.url().optional(),
  },
});
