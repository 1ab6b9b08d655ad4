// The contract of the function `agentcore`: entry, limits and environment.
import * as z from "zod";
import { defineFunction, json } from "../contract.ts";

export const agentcore = defineFunction({
  entry: "handlers/agentcore/lambda.ts",
  // A lease outlasts it (domain/mcp/gateway.ts).
  timeoutSeconds: 120,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    /** Each stack has its own gateways and secrets: its name is part of theirs. */
    STACK_NAME: z.string().min(1),
    JOBS_QUEUE_URL: z.url(),
    USER_POOL_ID: z.string().min(1),
    /** The user pool's host and id, as in the issuer of its tokens. */
    USER_POOL_ENDPOINT: z.string().min(1),
    SCOPE_PREFIX: z.string().min(1),
    /** Names of the pool's external providers. */
    IDENTITY_PROVIDERS: json(z.array(z.string())),
    /** Where the user pool sends people back to after a sign-in at a gateway. */
    CONNECTOR_CALLBACK_URL: z.url(),
    /** The role in whose name gateways call their targets. */
    GATEWAY_ROLE_ARN: z.string().min(1),
    /** The role of the tenants' own runtimes, which may do nothing. */
    RUNTIME_ROLE_ARN: z.string().min(1),
    /** Where the programs of the marketplace's runtime providers lie: their keys by provider. */
    RUNTIME_PROGRAMS: json(z.object({ bucket: z.string(), programs: z.record(z.string(), z.string()) })),
    /** The function that each call of a gateway passes. */
    INTERCEPTOR_ARN: z.string().min(1),
    /** Prefix of the tenants' secrets. */
    SECRETS_PREFIX: z.string().min(1),
    /** The bucket of the tenants' OpenAPI documents. */
    SPECS_BUCKET: z.string().min(1),
    /** The account's quotas at AgentCore (domain/marketplace/account-quotas.ts). */
    ACCOUNT_QUOTAS: json(
      z.object({ api_key_providers: z.int(), gateways: z.int(), runtimes: z.int(), app_clients: z.int() }),
    ),
    /** The key of the marks in gateways' addresses, which the edge knows too. */
    RELAY_KEY: z.string().min(32),
  },
});
