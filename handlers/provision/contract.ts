// What provisioning needs, said once.
import * as z from "zod";
import { defineFunction, json, payments } from "../contract.ts";

export const provision = defineFunction({
  entry: "handlers/provision/lambda.ts",
  // Who invokes it waits for 8 s. A job of the queue that fails comes back after six of these (components/queue.ts); a claim on
  // a step outlives it (tenant-key.ts).
  timeoutSeconds: 30,
  memoryMb: 512,
  streaming: false,
  env: {
    TABLE_NAME: z.string().min(1),
    USER_POOL_ID: z.string().min(1),
    JOBS_QUEUE_URL: z.url(),
    /** Each stack has its own keys: the name is part of their aliases and tags. */
    STACK_NAME: z.string().min(1),
    /** Of every new key, as JSON. */
    KEY_POLICY: z.string().min(1),
    /** Addresses, in lower case, whose accounts no purge removes. */
    PLATFORM_ADMINS: json(z.array(z.string())),
    ...payments,
  },
});
