// Rows by which owners are recognized who come again: debts that were left, and who has had which card. Their keys are keyed hashes.
import { expiresAt } from "../../../domain/kernel/retention.ts";
import type { RecognitionStore } from "../../../domain/trust/recognition.ts";
import type { Rows } from "../rows.ts";
import { keys, records } from "../schema.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, change, put } from "../write.ts";

export function recognitionStore(rows: Rows, clock: () => number): RecognitionStore {
  return {
    async debts(marks) {
      const found = new Map<string, number>();
      for (const mark of marks) {
        for (const { sk, cents } of await rows.all({ pk: records.debtor + mark })) found.set(String(sk), Number(cents));
      }
      return [...found].map(([customerId, cents]) => ({ customerId, cents }));
    },

    async leave(marks, { customerId, cents }, entry) {
      const kept = { cents, expires_at: expiresAt("debtor", clock()) };
      const debts = marks.map((mark) => put({ ...keys.debtor(mark, customerId), ...kept }, absent));
      return (await rows.transact([...debts, auditPut(entry)])) === undefined;
    },

    async share(ownerSub, cards) {
      for (const card of cards) {
        const noted = change`SET expires_at = ${expiresAt("card", clock())} ADD owners ${new Set([ownerSub])}`;
        const { owners } = (await rows.updated(keys.card(card), noted)) ?? {};
        const others = [...((owners as Set<string>) ?? [])].filter((sub) => sub !== ownerSub);
        // Whoever is noted later sees the other, so that both rows name both.
        for (const other of others) await rows.update(keys.allowance(other), change`ADD shares ${new Set([ownerSub])}`);
        if (others.length > 0) await rows.update(keys.allowance(ownerSub), change`ADD shares ${new Set(others)}`);
      }
    },

    async unshare(ownerSub, cards) {
      for (const card of cards) await rows.update(keys.card(card), change`DELETE owners ${new Set([ownerSub])}`);
    },
  };
}
