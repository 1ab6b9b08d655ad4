// The stores of people, keys, grants and workspaces over a table in memory, for tests of what is done with them.

import { grantStore } from "../../../adapters/dynamodb/access/grants.ts";
import { memberStore } from "../../../adapters/dynamodb/access/members.ts";
import { apiKeyStore } from "../../../adapters/dynamodb/keys/api-keys.ts";
import { approvalStore } from "../../../adapters/dynamodb/people/approvals.ts";
import { invitationStore } from "../../../adapters/dynamodb/people/invitations.ts";
import { userStore } from "../../../adapters/dynamodb/people/users.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { auditTrail } from "../../../adapters/dynamodb/workspace/audit.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { tenantChanges } from "../../../adapters/dynamodb/workspace/tenant-changes.ts";
import { tenantStore } from "../../../adapters/dynamodb/workspace/tenants.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import { memoryClient } from "../memory-dynamodb/document-client.ts";
import { MemoryTable } from "../memory-dynamodb/memory-table.ts";
import { anEntry } from "./api-keys.ts";
import { aMoment, memberCommand } from "./members.ts";
import { aTenantOf } from "./tenants.ts";

const tableName = "main";

/** Stores with the tenant `t1`, of which Ann is the owner and Dan a developer, at `aMoment`. */
export async function memoryStores() {
  const table = new MemoryTable();
  const client = memoryClient(table);
  const time = { now: Date.parse(aMoment) };
  let ids = 0;
  const { setup_state: _done, ...tenant } = aTenantOf("ann", "t1");
  table.put({ ...tenantRecord.key({ tenant_id: "t1" }), ...tenant });
  await client.send(memberCommand({ sub: "ann", tenant_id: "t1", tenant_role: "owner", status: "active" }));
  await client.send(memberCommand({ sub: "dan", tenant_id: "t1", status: "active" }));
  return {
    table,
    client,
    time,
    clock: () => time.now,
    newId: () => `id-${++ids}`,
    apiKeys: apiKeyStore(rowsOf(client, tableName)),
    grants: grantStore(rowsOf(client, tableName)),
    members: memberStore(rowsOf(client, tableName)),
    approvals: approvalStore(rowsOf(client, tableName)),
    invitations: invitationStore(rowsOf(client, tableName)),
    tenants: tenantStore(rowsOf(client, tableName)),
    tenantChanges: tenantChanges(rowsOf(client, tableName)),
    users: userStore(rowsOf(client, tableName)),
    /** Some entry of the trail, for a store's method that takes one. */
    entry: anEntry,
    /** Entries of the tenant's trail, newest first. */
    async trail(tenantId = "t1"): Promise<AuditEntry[]> {
      const page = { limit: 100, after: undefined };
      return (await auditTrail(rowsOf(client, tableName)).list(tenantId, {}, page, time.now)).items;
    },
  };
}

export const ann = { tenantId: "t1", sub: "ann", role: "owner" } as const;
export const dan = { tenantId: "t1", sub: "dan", role: "developer" } as const;
