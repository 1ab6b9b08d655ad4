// The contract of the function `token`, the token endpoint of MCP clients: entry, limits and environment.
import * as z from "zod";
import { defineFunction } from "../contract.ts";

export const token = defineFunction({
  entry: "handlers/token/lambda.ts",
  timeoutSeconds: 15,
  memoryMb: 512,
  env: {
    /** The user pool's own token endpoint. */
    TOKEN_URL: z.url(),
  },
});
