// The record of an entry of the audit trail.
import { auditEntrySchema } from "../../../domain/workspace/audit.ts";
import { defineRecord } from "../record.ts";

export const auditRecord = defineRecord({
  kind: "audit",
  title: "audit entry",
  pk: "AUDIT#{trail}#{at:month}",
  sk: "{at}#{audit_id}",
  schema: auditEntrySchema,
  version: 1,
  life: { months: 25 },
  purge: { stays: "for the platform's administrators, until its life ends" },
  control: ["query", "put"],
  written:
    "in the transaction of the change that it records; a change that platform staff make in a tenant is also on the platform's trail",
});
