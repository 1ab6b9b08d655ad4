// The record of a tenant's calls that wait for their callers' budgets: an attribute for each, and their number.
import * as z from "zod";
import { defineRecord } from "../record.ts";

export const waitingRoomRecord = defineRecord({
  kind: "waitingRoom",
  title: "waiting room",
  pk: "WAITING#{tenant_id}",
  sk: "ROOM",
  schema: z.object({ waiting: z.number() }).catchall(z.number()),
  version: 1,
  life: { days: 1, after: "the last" },
  purge: { stays: "expires a day after the workspace's last waiting call" },
  written: "by the tenant's calls that wait for their callers' budgets",
});
