// How far ahead of time each person is with questions of a kind: one number in the table.
import type { Purse, QuestionAllowances } from "../../../domain/kernel/question-allowance.ts";
import type { Rows } from "../rows.ts";
import { change, when } from "../write.ts";
import { askedRecord } from "./asked.record.ts";

/** @param clock in milliseconds */
export function questionAllowances(rows: Pick<Rows, "update">, clock: () => number): QuestionAllowances {
  return {
    async take(purse, milliseconds, most) {
      const now = clock();
      const key = keyOf(purse);
      const ahead = () =>
        rows.update(
          key,
          change`ADD paid_until ${milliseconds}`,
          when`paid_until > ${now} AND paid_until <= ${now + most - milliseconds}`,
        );
      const first = change`SET paid_until = ${now + milliseconds}, expires_at = ${askedRecord.expiresAt(now)}`;
      const isRested = when`attribute_not_exists(paid_until) OR paid_until <= ${now}`;
      // If several questions come at once after a rest, one writes `first`; the others fail there, and find its row when they try `ahead` again.
      return (await ahead()) || (await rows.update(key, first, isRested)) || ahead();
    },

    async correct(purse, milliseconds) {
      await rows.update(keyOf(purse), change`ADD paid_until ${milliseconds}`, when`attribute_exists(paid_until)`);
    },
  };
}

function keyOf({ sub, kind }: Purse) {
  return askedRecord.key({ sub, kind: kind.toUpperCase() });
}
