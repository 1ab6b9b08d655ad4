// The meter's jobs: one for each shard of this month and of the month before.
import * as z from "zod";
import { monthOf, startOfMonth } from "../kernel/period.ts";
import { shardCount } from "./shard.ts";

export const meteringJobSchema = z.object({
  month: z.string().regex(/^\d{4}-\d{2}$/),
  shard: z
    .int()
    .min(0)
    .max(shardCount - 1),
});

export type MeteringJob = z.output<typeof meteringJobSchema>;

/** The jobs to run now. The month before has jobs too, until all of its hours are closed. */
export function jobsAt(now: number): MeteringJob[] {
  const month = monthOf(now);
  const lastMonth = monthOf(startOfMonth(month) - 1);
  return [lastMonth, month].flatMap((month) => Array.from({ length: shardCount }, (_, shard) => ({ month, shard })));
}
