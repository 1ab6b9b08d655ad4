// Slices of owners' allowances: the owner's row counts what was drawn, the caller's spending item has it.
import { type AllowanceStore, type OwnerAllowance, slicesFor } from "../../../domain/budget/allowance.ts";
import { idleOf } from "../../../domain/budget/idle-slices.ts";
import type { Draw, DrawOutcome, Spending, SpendingKey } from "../../../domain/budget/spending.ts";
import { keptBack } from "../../../domain/budget/unexplained.ts";
import { mostUsed, trialUse } from "../../../domain/trust/trust.ts";
import type { Rows } from "../rows.ts";
import { tenantRecord } from "../workspace/tenant.record.ts";
import { change, check, type Item, update, when } from "../write.ts";
import { allowanceRecord } from "./allowance.record.ts";
import { spendingRecord } from "./spending.record.ts";

/** Counts what is drawn, and reads what is left. Each draw is one conditional write; callers on one row never conflict, but wait in turn. */
export function ownerAllowances(rows: Rows): AllowanceStore & { count(draw: Draw): Promise<DrawOutcome> } {
  const row = (ownerSub: string) => rows.get(allowanceRecord.key({ owner_sub: ownerSub }));
  /** The part of the trial that others have used, and the rows of the owners who have had one of the owner's cards. */
  const shared = async (item: Item | undefined) => {
    const subs = [...((item?.shares as Set<string>) ?? [])];
    const others = await Promise.all(subs.slice(0, mostSharers).map(async (sub) => ({ sub, row: await row(sub) })));
    const used = others.reduce((sum, one) => sum + trialUseOf(one.row), Number(item?.owed ?? 0));
    return { others, taken: subs.length > mostSharers ? Number.POSITIVE_INFINITY : used };
  };
  return {
    async read(ownerSub) {
      const item = await row(ownerSub);
      const { taken } = await shared(item);
      return { ...allowanceOf(item), ...(taken > 0 && { taken }) };
    },

    /** The first read tells what does not fit: a refused draw writes nothing. */
    async count({ ownerSub, trialCap, need, key: { month } }) {
      const first = await row(ownerSub);
      const owner = allowanceOf(first);
      const { others, taken } = await shared(first);
      const most = mostUsed(trialCap, { ...owner, taken }) - keptBack(owner, month, trialCap);
      // Owners with one card draw on one trial: a draw holds only if the others have drawn nothing since they were read.
      const unchanged = others.map((one) => check(allowanceRecord.key({ owner_sub: one.sub }), isNoMore(one.row)));
      let refusing = first;
      for (const slice of slicesFor(need, trialCap)) {
        if (slice > most - allowanceOf(refusing).drawn) continue;
        const counted = change`ADD drawn ${slice}`;
        const isWithin = when`attribute_not_exists(drawn) OR drawn <= ${most - slice}`;
        const isCounted =
          unchanged.length === 0
            ? await rows.update(allowanceRecord.key({ owner_sub: ownerSub }), counted, isWithin)
            : (await rows.transact([
                update(allowanceRecord.key({ owner_sub: ownerSub }), counted, isWithin),
                ...unchanged,
              ])) === undefined;
        if (isCounted) return { drawn: true, slice };
        refusing = await row(ownerSub);
      }
      return { drawn: false, left: Math.max(0, most - allowanceOf(refusing).drawn), ...takeBackOf(refusing) };
    },

    async ownerOf(tenantId) {
      const tenant = await rows.get(tenantRecord.key({ tenant_id: tenantId }), "owner_sub, tier");
      if (tenant?.tier !== "starter") return undefined;
      const ownerSub = String(tenant.owner_sub);
      return (await rows.get(allowanceRecord.key({ owner_sub: ownerSub })))?.drawn === undefined ? undefined : ownerSub;
    },

    async takeBack(key, spending) {
      const idle = idleOf(spending);
      if (idle <= 0 || spending.allowanceOf === undefined) return;
      await rows.transact([sliceReturn(key, spending, idle), allowanceReturn(spending.allowanceOf, idle)]);
    },
  };
}

/** A card of more accounts than this has no trial. */
const mostSharers = 20;

function trialUseOf(item: Item | undefined): number {
  const { drawn, ...trust } = allowanceOf(item);
  return trialUse(drawn, trust);
}

function isNoMore(item: Item | undefined) {
  return when`attribute_not_exists(drawn) OR drawn <= ${allowanceOf(item).drawn}`;
}

/** An owner's row as it is stored: an attribute for each month in which something was unexplained, or paid. */
export function allowanceOf(item: Item | undefined): OwnerAllowance {
  const { drawn = 0, paid = 0, settled = 0, ceiling } = item ?? {};
  const byMonth = months(item, "u#");
  return {
    drawn: Number(drawn),
    paid: Number(paid),
    settled: Number(settled),
    ...(typeof ceiling === "number" && { ceiling }),
    ...(byMonth.size > 0 && { unexplained: { byMonth, paidBy: months(item, "p#") } }),
  };
}

function months(item: Item = {}, prefix: string): ReadonlyMap<string, number> {
  const named = Object.entries(item).filter(([name]) => name.startsWith(prefix));
  return new Map(named.map(([name, amount]) => [name.slice(prefix.length), Number(amount)]));
}

/** What an owner's row tells of take-backs. */
export function takeBackOf(item: Item = {}): Pick<DrawOutcome & { drawn: false }, "stock" | "takenUntil"> {
  const { looked_at: at, in_flight: inFlight, takeback_until: takenUntil, drawn, looked_drawn } = item;
  return {
    ...(typeof at === "number" &&
      typeof inFlight === "number" && { stock: { at, inFlight, isLast: (drawn ?? 0) === looked_drawn } }),
    ...(typeof takenUntil === "number" && { takenUntil }),
  };
}

/** An item of a transaction: what a caller holds idle is the caller's no more. The condition fails if the caller has called meanwhile. */
export function sliceReturn({ tenantId, callerId, month }: SpendingKey, spending: Spending, idle: number) {
  const { allowance, committed } = spending;
  return update(
    spendingRecord.key({ tenant_id: tenantId, caller_id: callerId, month }),
    change`ADD allowance ${-idle}`,
    // A caller who drew and never got a call has nothing committed.
    committed === 0
      ? when`allowance = ${allowance} AND (attribute_not_exists(committed) OR committed = ${0}) AND attribute_not_exists(overdraft)`
      : when`allowance = ${allowance} AND committed = ${committed} AND attribute_not_exists(overdraft)`,
  );
}

/** An item of a transaction: what was drawn and is not owed. */
export function allowanceReturn(ownerSub: string, amount: number) {
  return update(
    allowanceRecord.key({ owner_sub: ownerSub }),
    change`ADD drawn ${-amount}`,
    when`attribute_exists(drawn)`,
  );
}

/** The slices of the owner's allowance that a caller's spending item holds; none if it never drew one. */
export function slicesOf(item: Item | undefined): Pick<Spending, "allowance" | "allowanceOf"> {
  const { allowance, allowance_of } = item ?? {};
  return typeof allowance === "number" && typeof allowance_of === "string"
    ? { allowance, allowanceOf: allowance_of }
    : {};
}
