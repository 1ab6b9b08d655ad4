// The record of the owner's approval of an active skill.
import { approvalRecordSchema } from "../../../domain/skills/approval.ts";
import { defineRecord } from "../record.ts";

export const skillApprovalRecord = defineRecord({
  kind: "skillApproval",
  title: "approval of a skill",
  pk: "SKILLAPPROVAL#{tenant_id}",
  sk: "{name}",
  schema: approvalRecordSchema,
  version: 1,
  life: "until deactivated or removed",
  purge: { with: "workspace", by: "partition" },
  control: ["get", "put", "update", "delete"],
  written: "in the transaction of an activation",
});
