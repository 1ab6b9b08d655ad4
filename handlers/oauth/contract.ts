// The contract of the function `oauth`, the authorization server of MCP clients: entry, limits and environment.
import * as z from "zod";
import { defineFunction, json } from "../contract.ts";

export const oauth = defineFunction({
  entry: "handlers/oauth/lambda.ts",
  timeoutSeconds: 20,
  memoryMb: 512,
  env: {
    TABLE_NAME: z.string().min(1),
    /** Part of the gateways' names. */
    STACK_NAME: z.string().min(1),
    /** `https://mcp.<domain>`: the issuer, and the beginning of every endpoint and gateway. */
    MCP_URL: z.url(),
    /** The user pool's pages that need no style. */
    SIGN_IN_URL: z.url(),
    /** The one scope of a connector's tokens. */
    CONNECTOR_SCOPE: z.string().min(1),
    /** The keys of sealed texts: the first seals, and all of them open. */
    SEALING_KEYS: json(z.array(z.string().min(32)).min(1).max(2)),
    /** The function that reads clients' metadata documents. */
    PROBE_ARN: z.string().min(1),
  },
});
