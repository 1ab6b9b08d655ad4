// AWS runs this as the function `interceptor`, with the table and the log of tool calls.
import { signOutStore } from "../../adapters/dynamodb/access/sign-outs.ts";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { toolRulesReader } from "../../adapters/dynamodb/integrations/mcp-servers.ts";
import { userStore } from "../../adapters/dynamodb/people/users.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { toolCallLog } from "../../adapters/telemetry.ts";
import { readEnv } from "../contract.ts";
import { interceptor } from "./contract.ts";
import { interceptorHandler } from "./handler.ts";

/** Both reads and their repeats end within the function's time. */
const storeLimits = { maxAttempts: 2, requestTimeoutMs: 1_500 };

const env = readEnv(interceptor);
const rows = rowsOf(documentClient(storeLimits), env.TABLE_NAME);

export const handler = interceptorHandler({
  users: userStore(rows),
  tenants: tenantStore(rows),
  signOuts: signOutStore(rows),
  toolRules: toolRulesReader(rows),
  toolCalls: toolCallLog(Date.now),
  clock: Date.now,
  log: powertoolsLog("interceptor"),
});
