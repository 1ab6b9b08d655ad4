// Rows by which owners are recognized who come again: debts that were left, and who has had which card. Their keys are keyed hashes.
import type { RecognitionStore } from "../../../domain/trust/recognition.ts";
import { allowanceRecord } from "../budget/allowance.record.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { absent, change, check, present, put, update } from "../write.ts";
import { cardRecord } from "./card.record.ts";
import { customerRecord } from "./customer.record.ts";
import { debtorRecord } from "./debtor.record.ts";

export function recognitionStore(rows: Rows, clock: () => number): RecognitionStore {
  /** Adds owners to those who share a trial with the owner. An owner who was purged meanwhile gets no row again. */
  async function noteSharers(ownerSub: string, sharers: readonly string[]): Promise<void> {
    await rows.transact([
      check(customerRecord.key({ owner_sub: ownerSub }), present),
      update(allowanceRecord.key({ owner_sub: ownerSub }), change`ADD shares ${new Set(sharers)}`),
    ]);
  }

  return {
    async debts(marks) {
      const found = new Map<string, number>();
      for (const mark of marks) {
        for (const { sk, cents } of await rows.all(debtorRecord.range({ mark }))) found.set(String(sk), Number(cents));
      }
      return [...found].map(([customerId, cents]) => ({ customerId, cents }));
    },

    async leave(marks, { customerId, cents }, entry) {
      const kept = { cents, expires_at: debtorRecord.expiresAt(clock()) };
      const debts = marks.map((mark) =>
        put({ ...debtorRecord.key({ mark, customer_id: customerId }), ...kept }, absent),
      );
      return (await rows.transact([...debts, auditPut(entry)])) === undefined;
    },

    async share(ownerSub, cards) {
      for (const card of cards) {
        const noted = change`SET expires_at = ${cardRecord.expiresAt(clock())} ADD owners ${new Set([ownerSub])}`;
        const { owners } = (await rows.updated(cardRecord.key({ mark: card }), noted)) ?? {};
        const others = [...((owners as Set<string>) ?? [])].filter((sub) => sub !== ownerSub);
        // Whoever is noted later sees the other, so that both rows name both.
        for (const other of others) await noteSharers(other, [ownerSub]);
        if (others.length > 0) await noteSharers(ownerSub, others);
      }
    },

    async unshare(ownerSub, cards) {
      for (const card of cards)
        await rows.update(cardRecord.key({ mark: card }), change`DELETE owners ${new Set([ownerSub])}`);
    },
  };
}
