// What the purge needs, said once.
import * as z from "zod";
import { askedFunctions, defineFunction } from "../contract.ts";

export const purge = defineFunction({
  entry: "handlers/purge/lambda.ts",
  // A tenant that takes longer is gone on with where it was, after six of these (components/queue.ts).
  timeoutSeconds: 300,
  memoryMb: 512,
  streaming: false,
  env: {
    TABLE_NAME: z.string().min(1),
    ...askedFunctions,
    JOBS_QUEUE_URL: z.url(),
  },
});
