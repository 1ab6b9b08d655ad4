// The contract of the function `purge`: entry, limits and environment.
import * as z from "zod";
import { askedFunctions, defineFunction } from "../contract.ts";

export const purge = defineFunction({
  entry: "handlers/purge/lambda.ts",
  // The removal of a tenant that takes longer goes on where it was, after six timeouts (components/queue.ts).
  timeoutSeconds: 300,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    ...askedFunctions,
    /** The function that removes what tenants have at AgentCore. */
    AGENTCORE_ARN: z.string().min(1),
    /** The bucket with what skills hold. */
    SKILLS_BUCKET: z.string().min(1),
    JOBS_QUEUE_URL: z.url(),
  },
});
