// The contract of the function `accounts`: entry, limits and environment.
import * as z from "zod";
import { defineFunction, json } from "../contract.ts";

export const accounts = defineFunction({
  entry: "handlers/accounts/lambda.ts",
  timeoutSeconds: 30,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    USER_POOL_ID: z.string().min(1),
    /** Addresses, in lower case, whose accounts no purge removes. */
    PLATFORM_ADMINS: json(z.array(z.string())),
  },
});
