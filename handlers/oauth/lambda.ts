// AWS runs this as the function `oauth`, with the table, the user pool's endpoints, and the way to clients' metadata documents.
import { randomBytes, randomUUID } from "node:crypto";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { ownRedirectStore } from "../../adapters/dynamodb/connectors/own-redirects.ts";
import { refreshFamilies } from "../../adapters/dynamodb/connectors/refresh-families.ts";
import { fixedClientReader, gatewayStore } from "../../adapters/dynamodb/mcp/gateways.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { documentPatienceMs, documentsOfProbe } from "../../adapters/functions/client-documents.ts";
import { invocation } from "../../adapters/functions/invocation.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { sealing } from "../../adapters/sealing.ts";
import { poolEndpoints } from "../../adapters/user-pool/token-endpoint.ts";
import { clientDocuments } from "../../domain/connectors/client-document.ts";
import { readEnv } from "../contract.ts";
import { oauth } from "./contract.ts";
import { oauthHandler } from "./handler.ts";

/** 32 bytes are the 43 characters of a verifier. */
const randomText = () => randomBytes(32).toString("base64url");

const env = readEnv(oauth);
const rows = rowsOf(documentClient(), env.TABLE_NAME);

export const handler = oauthHandler({
  sealing: sealing(env.SEALING_KEYS),
  documents: clientDocuments(documentsOfProbe(env.PROBE_ARN, invocation(documentPatienceMs)), Date.now),
  fixedClients: fixedClientReader(rows),
  gateways: gatewayStore(rows),
  ownRedirects: ownRedirectStore(rows),
  tenants: tenantStore(rows),
  families: refreshFamilies(rows),
  pool: poolEndpoints(env.SIGN_IN_URL),
  clock: Date.now,
  newId: randomUUID,
  newVerifier: randomText,
  newBrowser: randomText,
  settings: {
    origin: env.MCP_URL,
    stack: env.STACK_NAME,
    signIn: env.SIGN_IN_URL,
    scope: env.CONNECTOR_SCOPE,
  },
  log: powertoolsLog("oauth"),
});
