// The contract of the function `interceptor`: entry, limits and environment.
import * as z from "zod";
import { defineFunction } from "../contract.ts";

export const interceptor = defineFunction({
  entry: "handlers/interceptor/lambda.ts",
  // Every message of every gateway waits for this function.
  timeoutSeconds: 10,
  memoryMb: 512,
  env: { TABLE_NAME: z.string().min(1) },
});
