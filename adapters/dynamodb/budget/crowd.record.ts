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
  purge: { stays: "a number of the workspace, which goes by itself a day after its last call" },
  written:
    "by the tenant's calls from a caller's third at the same time on: a number for each quarter of an hour in which they began",
});
