// API keys as their store keeps them, and the entry of the audit trail that goes with a change.
import { randomUUID } from "node:crypto";
import type { ApiKey } from "../../../domain/access/api-key.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";

export function aKey(key_id: string, changes: Partial<ApiKey> = {}): ApiKey {
  return {
    key_id,
    tenant_id: "t1",
    name: "CI",
    mode: "live",
    hash: `hash of ${key_id}`,
    last4: "abcd",
    role: "developer",
    caller_id: "ann",
    scope: "proxy:invoke",
    status: "active",
    created_by: "ann",
    created_at: "2026-11-21T05:00:00.000Z",
    version: 1,
    ...changes,
  };
}

export function anEntry(changes: Partial<AuditEntry> = {}): AuditEntry {
  return {
    audit_id: randomUUID(),
    tenant_id: "t1",
    at: "2026-11-21T05:00:00.000Z",
    actor: "owner",
    action: "key.create",
    target: "k",
    ...changes,
  };
}
