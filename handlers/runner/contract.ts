// The contract of the function `runner`, which carries runs of skills out: entry, limits and environment.
import * as z from "zod";
import { aroundSeconds, runLimits } from "../../domain/runs/run-limits.ts";
import { defineFunction } from "../contract.ts";

export const runner = defineFunction({
  entry: "handlers/runner/lambda.ts",
  // The function waits for the script. A message that fails comes back after six timeouts (components/queue.ts), when the run is lost.
  timeoutSeconds: runLimits.seconds.most + aroundSeconds,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    STACK_NAME: z.string().min(1),
    /** The bucket with what skills hold, and with what runs take and give. */
    SKILLS_BUCKET: z.string().min(1),
    /** The Code Interpreters by what their sessions reach. */
    SANDBOX_INTERPRETER: z.string().min(1),
    INTERNET_INTERPRETER: z.string().min(1),
  },
});
