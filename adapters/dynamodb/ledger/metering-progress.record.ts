// The records of how far the meter has come: in a tenant's month, and in a shard's.
import * as z from "zod";
import type { TenantProgress } from "../../../domain/ledger/metering-progress.ts";
import { defineRecord, schemaOf } from "../record.ts";

/** Progress is kept longer than the ledger, so that it exists for every hour that still has rows. */
const life = { days: 60, after: "the month" } as const;

export const tenantProgressRecord = defineRecord({
  kind: "meterProgress",
  title: "progress of a tenant",
  pk: "METER#{tenant_id}#{month}",
  sk: "TENANT",
  schema: schemaOf<TenantProgress>()(z.object({ next: z.string(), waiting: z.array(z.string()), version: z.number() })),
  version: 1,
  life: life,
  purge: { with: "workspace", by: "key" },
  control: ["get"],
  written: "by the meter, when an hour is closed or waits",
});

export const shardProgressRecord = defineRecord({
  kind: "meterProgress",
  title: "finished shard",
  pk: "METER#{month}#{shard:number}",
  sk: "SHARD",
  schema: z.object({}),
  version: 1,
  life: life,
  purge: { stays: "of all workspaces of a shard" },
  control: ["get"],
  written: "by the meter, when all hours of a month that is over are closed",
});
