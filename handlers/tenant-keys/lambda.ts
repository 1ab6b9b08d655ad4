// AWS runs this as the function `tenant-keys`, with the table and KMS.
import { randomUUID } from "node:crypto";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { setupManifest } from "../../adapters/dynamodb/provisioning/setup-manifests.ts";
import { rowsOf } from "../../adapters/dynamodb/rows.ts";
import { auditTrail } from "../../adapters/dynamodb/workspace/audit.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { kmsKeys } from "../../adapters/kms/keys.ts";
import { keyedSealer } from "../../adapters/kms/skill-secrets.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { readEnv } from "../contract.ts";
import { tenantKeys } from "./contract.ts";
import { tenantKeysHandler } from "./handler.ts";

const env = readEnv(tenantKeys);
const rows = rowsOf(documentClient(), env.TABLE_NAME);

export const handler = tenantKeysHandler({
  keys: kmsKeys({ stack: env.STACK_NAME, policy: env.KEY_POLICY }),
  sealer: keyedSealer(),
  manifest: setupManifest(rows),
  tenants: tenantStore(rows),
  audit: auditTrail(rows),
  log: powertoolsLog("tenant-keys"),
  clock: Date.now,
  newId: randomUUID,
});
