// What the purge needs, said once.
import * as z from "zod";
import { defineFunction } from "../contract.ts";

export const purge = defineFunction({
  entry: "handlers/purge/lambda.ts",
  // A tenant that takes longer is gone on with where it was, after six of these (components/queue.ts).
  timeoutSeconds: 300,
  memoryMb: 512,
  streaming: false,
  env: {
    TABLE_NAME: z.string().min(1),
    /** The function that removes what lies outside the table. */
    PROVISION_ARN: z.string().min(1),
    JOBS_QUEUE_URL: z.url(),
  },
});
