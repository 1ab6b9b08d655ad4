// What the meter needs, said once.
import * as z from "zod";
import { defineFunction } from "../contract.ts";

export const meter = defineFunction({
  entry: "handlers/meter/lambda.ts",
  timeoutSeconds: 300,
  memoryMb: 512,
  streaming: false,
  env: {
    TABLE_NAME: z.string().min(1),
    /** Where the proxy writes what it could not settle. */
    PROXY_LOG_GROUP: z.string().min(1),
  },
});
