// What provisioning needs, said once.
import * as z from "zod";
import { defineFunction } from "../contract.ts";

export const provision = defineFunction({
  entry: "handlers/provision/lambda.ts",
  // Who invokes it waits for 8 s. A job of the queue that fails comes back after six of these (components/queue.ts).
  timeoutSeconds: 30,
  memoryMb: 512,
  streaming: false,
  env: {
    USER_POOL_ID: z.string().min(1),
  },
});
