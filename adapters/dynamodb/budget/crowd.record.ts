// The record of a tenant's calls in flight: a number for each window in which calls began.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const crowdRecord = defineRecord({
  kind: "crowd",
  title: "crowd",
  pk: "CROWD#{tenant_id}",
  sk: "CALLS",
  schema: z.object({}).catchall(z.number()),
  version: 1,
  life: { days: 1, after: "the last" },
  purge: { stays: "expires a day after the workspace's last call" },
  written:
    "by the third and each further simultaneous call of a caller: the number of such calls of the tenant, by the quarter of an hour in which they began",
});
