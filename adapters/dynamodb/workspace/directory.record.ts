// The record by which a tenant is found by its status.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const directoryRecord = defineRecord({
  kind: "directory",
  title: "directory",
  pk: "DIRECTORY#{tenant_id}",
  sk: "DIRECTORY",
  index: { pk: "STATUS#{status}", sk: "{since}#{tenant_id}" },
  activeIndex: {
    pk: "UNCHECKED#TENANTS",
    sk: "{since}#{tenant_id}",
    rows: "from the creation or the deletion until the reconciliation has found nothing left to do",
  },
  schema: z.object({ tenant_id: z.string() }),
  version: 1,
  life: "until purged",
  purge: { with: "workspace", by: "transaction" },
  control: ["put", "update", "index"],
  written: "in the transaction of the tenant's creation and of each change of its status",
});
