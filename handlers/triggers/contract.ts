// The contract of the user pool's triggers: entry, limits and environment.
import * as z from "zod";
import { defineFunction, json, mailSender } from "../contract.ts";

export const triggers = defineFunction({
  entry: "handlers/triggers/lambda.ts",
  // Cognito waits 5 s for a trigger.
  timeoutSeconds: 5,
  memoryMb: 1024,
  env: {
    TABLE_NAME: z.string().min(1),
    ...mailSender,
    /** Verified e-mail addresses of the platform's administrators. */
    PLATFORM_ADMINS: json(z.array(z.email())),
    /** Addresses of the platform's support. */
    PLATFORM_SUPPORT: json(z.array(z.email())),
    APPROVAL: z.enum(["automatic", "manual"]),
    SCOPE_PREFIX: z.string().min(1),
    /** Names of the pool's external providers, as they are declared. */
    IDENTITY_PROVIDERS: json(z.array(z.string())),
  },
});
