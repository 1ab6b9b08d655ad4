// Slices of owners' allowances: the owner's row counts what was drawn, the caller's spending item has it.
import {
  type AllowanceStore,
  heldOf,
  mostDrawn,
  type OwnerAllowance,
  slicesFor,
} from "../../../domain/budget/allowance.ts";
import type { Draw, DrawOutcome, Spending } from "../../../domain/budget/spending.ts";
import type { Rows } from "../rows.ts";
import { keys } from "../schema.ts";
import { change, type Item, update, when } from "../write.ts";

/** Counts what is drawn, and reads what is left. Each draw is one conditional write; callers on one row never conflict, but wait in turn. */
export function ownerAllowances(rows: Rows): AllowanceStore & { count(draw: Omit<Draw, "key">): Promise<DrawOutcome> } {
  const read = async (ownerSub: string): Promise<OwnerAllowance> => {
    const { drawn = 0, paid = 0 } = ((await rows.get(keys.allowance(ownerSub))) ?? {}) as Partial<OwnerAllowance>;
    return { drawn: Number(drawn), paid: Number(paid) };
  };
  return {
    read,

    /** @returns in `left` the slice that was counted or, if the allowance does not even pay the need, the rest of it */
    async count({ ownerSub, trialCap, need }) {
      const most = mostDrawn((await read(ownerSub)).paid, trialCap);
      for (const slice of slicesFor(need, trialCap)) {
        if (slice > most) continue;
        const counted = change`ADD drawn ${slice}`;
        const isWithin = when`attribute_not_exists(drawn) OR drawn <= ${most - slice}`;
        if (await rows.update(keys.allowance(ownerSub), counted, isWithin)) return { drawn: true, left: slice };
      }
      return { drawn: false, left: Math.max(0, most - (await read(ownerSub)).drawn) };
    },

    async ownerOf(tenantId) {
      const tenant = await rows.get(keys.tenant(tenantId), "owner_sub, tier");
      if (tenant?.tier !== "starter") return undefined;
      const ownerSub = String(tenant.owner_sub);
      return (await rows.get(keys.allowance(ownerSub)))?.drawn === undefined ? undefined : ownerSub;
    },

    async takeBack({ tenantId, callerId, month }, spending) {
      const { allowance, allowanceOf, committed, overdraft } = spending;
      if (allowance === undefined || allowanceOf === undefined || overdraft !== undefined) return;
      const rest = allowance - heldOf(spending);
      if (rest <= 0) return;
      await rows.transact([
        update(
          keys.spending(tenantId, callerId, month),
          change`ADD allowance ${-rest}`,
          // A caller who drew and never got a call has nothing committed.
          committed === 0
            ? when`allowance = ${allowance} AND (attribute_not_exists(committed) OR committed = ${0}) AND attribute_not_exists(overdraft)`
            : when`allowance = ${allowance} AND committed = ${committed} AND attribute_not_exists(overdraft)`,
        ),
        allowanceReturn(allowanceOf, rest),
      ]);
    },
  };
}

/** An item of a transaction: what was drawn and is not owed. */
export function allowanceReturn(ownerSub: string, amount: number) {
  return update(keys.allowance(ownerSub), change`ADD drawn ${-amount}`, when`attribute_exists(drawn)`);
}

/** The slices of the owner's allowance that a caller's spending item holds; none if it never drew one. */
export function slicesOf(item: Item | undefined): Pick<Spending, "allowance" | "allowanceOf"> {
  const { allowance, allowance_of } = item ?? {};
  return typeof allowance === "number" && typeof allowance_of === "string"
    ? { allowance, allowanceOf: allowance_of }
    : {};
}
