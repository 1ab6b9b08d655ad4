// How far ahead of time each person is with questions of usage: one number in the table.
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { UsageAllowances } from "../../../domain/ledger/usage-allowance.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { change, when } from "../write.ts";

/** @param clock in milliseconds */
export function usageAllowances(rows: Pick<Rows, "update">, clock: () => number): UsageAllowances {
  return {
    async take(sub, milliseconds, most) {
      const now = clock();
      const key = keys.asked(sub);
      const ahead = () =>
        rows.update(
          key,
          change`ADD paid_until ${milliseconds}`,
          when`paid_until > ${now} AND paid_until <= ${now + most - milliseconds}`,
        );
      const first = change`SET paid_until = ${now + milliseconds}, expires_at = ${expiresAt("asked", now)}`;
      const isRested = when`attribute_not_exists(paid_until) OR paid_until <= ${now}`;
      // If several questions come at once after a rest, one writes `first`; the others fail there, and find its row when they try `ahead` again.
      return (await ahead()) || (await rows.update(key, first, isRested)) || ahead();
    },

    async correct(sub, milliseconds) {
      await rows.update(keys.asked(sub), change`ADD paid_until ${milliseconds}`, when`attribute_exists(paid_until)`);
    },
  };
}
