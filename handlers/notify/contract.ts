// The contract of the function `notify`, which mails notices: entry, limits and environment.
import * as z from "zod";
import { defineFunction, mailSender } from "../contract.ts";

export const notify = defineFunction({
  entry: "handlers/notify/lambda.ts",
  // A message that fails comes back after six timeouts (components/queue.ts).
  timeoutSeconds: 30,
  memoryMb: 256,
  env: {
    TABLE_NAME: z.string().min(1),
    /** The control plane's address, where limits are changed. */
    API_URL: z.url(),
    ...mailSender,
  },
});
