// AWS runs this as the function `probe`, with what it reads of a tenant and the way to the addresses that users give.
import { createHash } from "node:crypto";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { mcpServerStore } from "../../adapters/dynamodb/integrations/mcp-servers.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { specReader } from "../../adapters/s3/specs.ts";
import { tenantSecrets } from "../../adapters/secrets/tenant-secrets.ts";
import { clientDocumentFetch } from "../../adapters/upstream/client-document.ts";
import { readDocumentText } from "../../adapters/upstream/document-text.ts";
import { runtimeTools } from "../../adapters/upstream/runtime-tools.ts";
import { upstream } from "../../adapters/upstream/upstream.ts";
import { serverSecrets } from "../../domain/integrations/server-secret.ts";
import { readEnv, readRuntime } from "../contract.ts";
import { probe } from "./contract.ts";
import { probeHandler } from "./handler.ts";

/** The function that asks waits for some seconds more than this (adapters/functions/probe.ts). */
const timeoutMs = 12_000;
const digestLength = 16;

const env = readEnv(probe);
const runtime = readRuntime();

export const handler = probeHandler({
  servers: mcpServerStore(rowsOf(documentClient(), env.TABLE_NAME)),
  specs: specReader(env.SPECS_BUCKET),
  secretOf: serverSecrets(tenantSecrets(env.STACK_NAME), env.STACK_NAME).read,
  upstream: () => upstream({ timeoutMs }),
  runtimeTools: runtimeTools({ ...runtime, endpoint: runtime.endpoints.agentCore }, timeoutMs),
  readDocument: readDocumentText,
  readClientDocument: clientDocumentFetch(),
  digest: (text) => createHash("sha256").update(text).digest("hex").slice(0, digestLength),
  log: powertoolsLog("probe"),
});
