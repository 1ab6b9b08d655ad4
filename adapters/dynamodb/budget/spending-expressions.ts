// The writes of a caller's spending as DynamoDB expressions, each under the guards of the domain. docs/decisions/0015 says why each guard is
// needed.
import { type Guard, isNew, isUnchanged } from "../../../domain/budget/guard.ts";
import { moveInGuards } from "../../../domain/budget/plan.ts";
import type { Turn } from "../../../domain/budget/rate-limit.ts";
import type { Reservation, Tombstone } from "../../../domain/budget/reservation.ts";
import type {
  AdmissionWrite,
  CappedChangeWrite,
  ChangeWrite,
  Draw,
  FallbackChange,
  SettlementWrite,
  Spending,
  SpendingKey,
} from "../../../domain/budget/spending.ts";
import type { Change, Condition, Item } from "../write.ts";
import { slicesOf } from "./allowances.ts";
import { guarded, windowAttribute, windowsOf } from "./guard-condition.ts";
import { activeCallerIndex } from "./spending.record.ts";
import { fallbacksOf, storedFallbacks } from "./stored-fallbacks.ts";
import {
  knownOf,
  longId,
  reservationName,
  reservationsOf,
  shortId,
  stored,
  storedTombstone,
  tombstoneVersion,
} from "./stored-reservation.ts";

export type Update = Change & Condition;

/** A part of an update: its clauses, and the names and values in them. */
type Part = {
  set?: string[];
  remove?: string[];
  add?: string[];
  delete?: string[];
  names?: Record<string, string>;
  values?: Item;
};

/**
 * Reserves, overdraws, takes a ticket or fills one, as the reservation says. A call that costs nothing takes its turn in the rate limit.
 * @param expires the end, in seconds, of an item that was not there before
 */
export function admission(
  { key, reservation, ticket, turn, guards }: Omit<AdmissionWrite, "creditGuards">,
  expires: number,
): Update {
  if (reservation && ticket) return guardedUpdate([changed(ticket, reservation)], guards);
  const parts = [lasting(expires), ...(turn ? [taken(turn)] : [])];
  return guardedUpdate(reservation ? [reserved(reservation), listed(key), ...parts] : parts, guards);
}

/** Trues up or renews a reservation. */
export function change({ from, to }: ChangeWrite): Update {
  return guardedUpdate([changed(from, to)], [isUnchanged(from)]);
}

/** Moves the overdraft into the budget, so that another call may overdraw. */
export function moveIn({ limits, from, to }: CappedChangeWrite): Update {
  return guardedUpdate([changed(from, to)], [isUnchanged(from), ...moveInGuards(limits, to)]);
}

/** @param settled.windowed what the windows count of the call from now on: its cost unless given */
export function settlement(
  settled: Omit<SettlementWrite, "key" | "tokens"> & { back?: number; windowed?: "held" | "nothing" },
): Update {
  const { reservation, cost, back = 0, windowed } = settled;
  const { requestId, overdraft, held = {} } = reservation;
  const guards: Guard[] = [isUnchanged(reservation)];
  if (overdraft) guards.push({ rule: "overdraft", label: "overdraft", is: "same", as: requestId });
  const removed: Part = {
    ...named(reservation),
    remove: overdraft ? ["#r", "overdraft"] : ["#r"],
    add: ["spent :c", "committed :d", "inflight :minus"],
    values: { ":c": cost, ":d": cost - committedBy(reservation), ":minus": -1 },
  };
  const moved = windowed === "held" ? {} : movedWindows({}, held, windowed === "nothing" ? 0 : cost);
  return guardedUpdate([removed, moved, givenBack(back), changedFallbacks(settled)], guards);
}

/** An update has one effect on an attribute: fallbacks that are over wait for a settlement that begins none. */
function changedFallbacks({ begun, ended = [] }: FallbackChange): Part {
  if (begun) return { add: ["fallbacks :f"], values: { ":f": storedFallbacks([begun]) } };
  return ended.length > 0 ? { delete: ["fallbacks :f"], values: { ":f": storedFallbacks(ended) } } : {};
}

/** Books the difference between a provisional row and the final one. The caller's slices of the owner's allowance are less by `back`. */
export function correction(difference: number, back = 0): Change {
  return updateOf([{ add: ["spent :d", "committed :d"], values: { ":d": difference } }, givenBack(back)]);
}

/** A slice of the owner's allowance. The first one counts from what the caller has spent before it. */
export function sliceDrawn({ key, ownerSub, spent }: Draw, slice: number, expires: number): Update {
  const drawn: Part = {
    set: ["allowance_of = :o", "allowance = if_not_exists(allowance, :before) + :s"],
    values: { ":o": ownerSub, ":s": slice, ":before": spent },
  };
  const isOwn: Guard = { rule: "owner", label: "allowanceOf", is: "none or same", as: ownerSub };
  return guardedUpdate([drawn, listed(key), lasting(expires)], [isOwn]);
}

/** @param expires the end, in seconds, of an item that was not there before */
export function tombstone(key: SpendingKey, put: Tombstone, expires: number): Update {
  const set = { ...named(put), set: ["#r = :r"], values: { ":r": storedTombstone(put) } };
  return guardedUpdate([set, listed(key), lasting(expires)], [isNew(put)]);
}

export function tombstoneRemoval(requestId: string): Update {
  const version = tombstoneVersion;
  return guardedUpdate([{ ...named({ requestId }), remove: ["#r"] }], [isUnchanged({ requestId, version })]);
}

const named = ({ requestId }: { requestId: string }) => ({ names: { "#r": reservationName(requestId) } });

/** The share of a reservation in `committed`. An overdraft has none. */
const committedBy = ({ overdraft, amount }: Reservation) => (overdraft ? 0 : amount);

function reserved(reservation: Reservation): Part {
  const { requestId, overdraft, held = {} } = reservation;
  const windows = movedWindows(held, {}, 0);
  return {
    set: ["#r = :r", ...(overdraft ? ["overdraft = :id"] : [])],
    add: ["committed :a", "spent :zero", "inflight :one", ...windows.add],
    names: { ...named(reservation).names, ...windows.names },
    values: {
      ...{ ":r": stored(reservation), ":a": committedBy(reservation), ":zero": 0, ":one": 1 },
      ...(overdraft && { ":id": shortId(requestId) }),
      ...windows.values,
    },
  };
}

/** A reservation's changes: true-up and renewal, a ticket's amount, and an overdraft that begins or moves into the budget. */
function changed(from: Reservation, to: Reservation): Part {
  const { k } = knownOf(to);
  const more = committedBy(to) - committedBy(from);
  const begins = to.overdraft && !from.overdraft;
  const { held = {} } = to;
  const windows = movedWindows(held, from.held ?? {}, 0);
  const isHeldAnew = windows.add.length > 0;
  const { p, g } = stored(to);
  const isElsewhere = to.profile !== from.profile || to.region !== from.region;
  return {
    set: [
      ...["#r.a = :a", "#r.n = :n", "#r.x = :x", "#r.i = :i", "#r.u = :u", ...(k === undefined ? [] : ["#r.k = :k"])],
      ...(begins ? ["#r.o = :one", "overdraft = :id"] : []),
      ...(isHeldAnew ? ["#r.w = :w"] : []),
      ...(isElsewhere ? ["#r.p = :p", "#r.g = :g"] : []),
    ],
    remove: from.overdraft && !to.overdraft ? ["overdraft", "#r.o"] : [],
    add: [...(more === 0 ? [] : ["committed :d"]), ...windows.add],
    names: { ...named(from).names, ...windows.names },
    values: {
      ...{ ":a": to.amount, ":n": to.version, ":x": to.leaseEndsAt, ":i": to.bounds.input, ":u": to.bounds.output },
      ...(k !== undefined && { ":k": k }),
      ...(begins && { ":one": 1, ":id": shortId(to.requestId) }),
      ...(more !== 0 && { ":d": more }),
      ...(isHeldAnew && { ":w": held }),
      ...(isElsewhere && { ":p": p, ":g": g }),
      ...windows.values,
    },
  };
}

/** Windows whose calls hold something else now. @param more what each of the windows before counts instead */
function movedWindows(now: Record<string, number>, before: Readonly<Record<string, number>>, more: number) {
  const names = [...new Set([...Object.keys(now), ...Object.keys(before)])];
  const moved = names
    .map((name) => [name, (now[name] ?? 0) + more - (before[name] ?? 0)] as const)
    .filter(([, difference]) => difference !== 0);
  return {
    add: moved.map((_, place) => `#w${place} :w${place}`),
    names: Object.fromEntries(moved.map(([name], place) => [`#w${place}`, windowAttribute(name)])),
    values: Object.fromEntries(moved.map(([, difference], place) => [`:w${place}`, difference])),
  };
}

function taken({ change }: Turn): Part {
  if ("add" in change) return { set: ["tat = tat + :step"], values: { ":step": change.add } };
  return { set: ["tat = :next", "tat_rate = :limit"], values: { ":next": change.set, ":limit": change.rate } };
}

const givenBack = (back: number): Part => (back === 0 ? {} : { add: ["allowance :back"], values: { ":back": -back } });

/** The entry in the index of active callers. */
function listed(key: SpendingKey): Part {
  const { gsi2_pk, gsi2_sk } = activeCallerIndex(key);
  return { set: ["gsi2_pk = :gp", "gsi2_sk = :gs"], values: { ":gp": gsi2_pk, ":gs": gsi2_sk } };
}

const lasting = (expires: number): Part => ({
  set: ["expires_at = if_not_exists(expires_at, :e)"],
  values: { ":e": expires },
});

const guardedUpdate = (parts: Part[], guards: readonly Guard[]): Update => guarded(updateOf(parts), guards);

function updateOf(parts: Part[]): Change {
  const clause = (word: string, of: "set" | "remove" | "add" | "delete") => {
    const all = parts.flatMap((part) => part[of] ?? []);
    return all.length > 0 ? [`${word} ${all.join(", ")}`] : [];
  };
  const names = Object.assign({}, ...parts.map((part) => part.names));
  const values = Object.assign({}, ...parts.map((part) => part.values));
  return {
    UpdateExpression: [
      ...clause("SET", "set"),
      ...clause("REMOVE", "remove"),
      ...clause("ADD", "add"),
      ...clause("DELETE", "delete"),
    ].join(" "),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  };
}

export function spendingOf(item: Item | undefined): Spending {
  const { overdraft, tat_rate } = item ?? {};
  return {
    spent: numberOf(item, "spent"),
    committed: numberOf(item, "committed"),
    inflight: numberOf(item, "inflight"),
    tat: numberOf(item, "tat"),
    ...(typeof tat_rate === "string" && { tatRate: tat_rate }),
    overdraft: typeof overdraft === "string" ? longId(overdraft) : undefined,
    ...slicesOf(item),
    ...windowsOf(item),
    ...fallbacksOf(item),
    ...reservationsOf(item ?? {}),
  };
}

export function numberOf(item: Item | undefined, name: string): number {
  return Number(item?.[name] ?? 0);
}
