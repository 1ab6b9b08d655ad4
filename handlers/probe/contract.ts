// The contract of the function `probe`: entry, limits and environment.
import * as z from "zod";
import { defineFunction } from "../contract.ts";

export const probe = defineFunction({
  entry: "handlers/probe/lambda.ts",
  timeoutSeconds: 25,
  // A whole processor: a document may have 20 MB.
  memoryMb: 1_769,
  env: {
    TABLE_NAME: z.string().min(1),
    /** Part of the names of the tenants' secrets. */
    STACK_NAME: z.string().min(1),
    /** The bucket of the tenants' OpenAPI documents. */
    SPECS_BUCKET: z.string().min(1),
  },
});
