// The contract of the function `settle`, which settles calls from a queue: entry, limits and environment.
import * as z from "zod";
import { defineFunction, flag } from "../contract.ts";

export const settle = defineFunction({
  entry: "handlers/settle/lambda.ts",
  // A message that fails comes back after six timeouts (components/queue.ts).
  timeoutSeconds: 30,
  memoryMb: 256,
  env: {
    TABLE_NAME: z.string().min(1),
    /** True if the stack takes up new models of a family by itself. */
    NEW_MODELS: flag,
    /** The queue for usage that is too old to be settled. */
    DEAD_LETTERS_URL: z.url(),
  },
});
