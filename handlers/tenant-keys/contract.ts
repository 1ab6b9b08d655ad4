// The contract of the function `tenant-keys`: entry, limits and environment.
import * as z from "zod";
import { defineFunction } from "../contract.ts";

export const tenantKeys = defineFunction({
  entry: "handlers/tenant-keys/lambda.ts",
  // A claim on a step of a creation is longer than this (domain/provisioning/setup-manifest.ts).
  timeoutSeconds: 30,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    /** Each stack has its own keys: the name is part of their aliases and tags. */
    STACK_NAME: z.string().min(1),
    /** The policy of every new key, as JSON. */
    KEY_POLICY: z.string().min(1),
  },
});
