// Writes what an event of the payment provider changes, in one transaction: the owner's customer, the workspaces with their audit
// entries, and the event as processed.
import type { OwnerTrust } from "../../../domain/billing/owner-trust.ts";
import type { Reconciled, ReconciliationStore } from "../../../domain/billing/reconciliation.ts";
import { monthOf } from "../../../domain/kernel/period.ts";
import { allowanceRecord } from "../budget/allowance.record.ts";
import type { Rows } from "../rows.ts";
import { auditPut } from "../workspace/audit.ts";
import { paymentState } from "../workspace/tenant.record.ts";
import { changeItems } from "../workspace/tenant-changes.ts";
import { absent, put, setting, update, type Write, when } from "../write.ts";
import { customerRecord } from "./customer.record.ts";
import { isUnchanged } from "./customers.ts";
import { paymentEventRecord } from "./payment-event.record.ts";

/** A transaction has 100 items at most. A change of a workspace is three, and a reading shows eight problems at most. */
const changesAtOnce = 28;

export function reconciliationStore(rows: Rows): ReconciliationStore {
  return {
    isDone: async (eventId) => (await rows.get(paymentEventRecord.key({ event_id: eventId }))) !== undefined,

    async write(reconciled) {
      const { customer, changes, problems, trust } = reconciled;
      const writes = changes.map((change) => changeItems(change, paymentState));
      // An owner may have more workspaces than one transaction takes. A run that stops in between leaves the rest to a repeat.
      while (writes.length > changesAtOnce) {
        const items = writes.splice(0, changesAtOnce).flat();
        if ((await rows.transact([isUnchanged(customer), ...items])) !== undefined) return "stale";
      }
      const { eventId } = reconciled;
      const failed = await rows.transact([
        ...(eventId === undefined ? [] : [eventPut(eventId, reconciled.now)]),
        customerUpdate(reconciled),
        ...(trust ? [allowanceUpdate(customer.owner_sub, trust, reconciled.now)] : []),
        ...writes.flat(),
        ...problems.map(({ entry }) => auditPut(entry)),
      ]);
      if (failed === undefined) return "written";
      return failed === 0 && eventId !== undefined ? "done" : "stale";
    },
  };
}

/** The event as processed. It names no person, so it stays when its owner is purged. */
function eventPut(eventId: string, now: number): Write {
  const times = { done_at: new Date(now).toISOString(), expires_at: paymentEventRecord.expiresAt(now) };
  return put({ ...paymentEventRecord.key({ event_id: eventId }), event_id: eventId, ...times }, absent);
}

/** What was paid and settled is noted as it is now: it becomes less too. */
function allowanceUpdate(ownerSub: string, { paid, settled, ceiling, drawn, owed }: OwnerTrust, now: number): Write {
  const counted = drawn === undefined ? {} : { drawn };
  const paidUntilNow = { [`p#${monthOf(now)}`]: paid };
  return update(
    allowanceRecord.key({ owner_sub: ownerSub }),
    setting({ paid, settled, ceiling, owed: owed > 0 ? owed : undefined, ...counted, ...paidUntilNow }),
  );
}

/** Increases the customer's version with each reading, also one that changes nothing: a run that read the provider before must read again. */
function customerUpdate(reconciled: Reconciled): Write {
  const { customer, hasPaymentMethod, triedPaymentMethod, owes, seen, trust, now } = reconciled;
  return update(
    customerRecord.key({ owner_sub: customer.owner_sub }),
    setting({
      version: customer.version + 1,
      has_payment_method: hasPaymentMethod,
      tried_payment_method: triedPaymentMethod,
      owes: owes.length > 0 ? owes : undefined,
      seen: Object.keys(seen).length > 0 ? seen : undefined,
      ...(trust && {
        method_since: trust.methodSince,
        cards: trust.cards.length > 0 ? trust.cards : undefined,
        promoted: trust.promoted.length > 0 ? trust.promoted : undefined,
      }),
      ...customerRecord.activeIndexKey({ read_at: new Date(now).toISOString(), owner_sub: customer.owner_sub }),
    }),
    when`version = ${customer.version}`,
  );
}
