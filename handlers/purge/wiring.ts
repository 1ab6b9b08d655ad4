// The purge's dependencies on AWS.
import { randomUUID } from "node:crypto";
import { documentClient } from "../../adapters/dynamodb/client.ts";
import { tenantRemains } from "../../adapters/dynamodb/provisioning/tenant-remains.ts";
import { tenantStore } from "../../adapters/dynamodb/workspace/tenants.ts";
import { powertoolsLog } from "../../adapters/log.ts";
import { provisionClient, provisionedRemoval } from "../../adapters/provision.ts";
import { jobQueue } from "../../adapters/sqs.ts";
import type { Env } from "../contract.ts";
import type { purge } from "./contract.ts";
import type { PurgeHandlerDependencies } from "./dependencies.ts";

export function purgeDependencies(env: Env<typeof purge>): PurgeHandlerDependencies {
  const client = documentClient();
  return {
    tenants: tenantStore(client, env.TABLE_NAME),
    remains: tenantRemains(client, env.TABLE_NAME),
    outside: provisionedRemoval(provisionClient(env.PROVISION_ARN)),
    jobs: jobQueue(env.JOBS_QUEUE_URL),
    log: powertoolsLog("purge"),
    clock: Date.now,
    newId: randomUUID,
  };
}
