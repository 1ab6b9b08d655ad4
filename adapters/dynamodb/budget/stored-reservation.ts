// The stored form of a reservation: one small top-level attribute of its caller's item, so that adding one touches no other, and
// 64 of them stay under 8 KB. Attribute names have one letter because DynamoDB counts them in an item's size.

import type { Reservation, Tombstone } from "../../../domain/budget/reservation.ts";
import type { CreditReservation } from "../../../domain/budget/spending.ts";
import { type Region, regions } from "../../../domain/catalog/region.ts";
import { nanoUsdPerUsd } from "../../../domain/kernel/money.ts";

/** `a` amount, `n` version, `x` lease's end, `t` admitted, `p` profile, `g` region, `i` and `u` bounds, `o` overdraft, `c` credit, `f` the platform bills nobody, `k` known cost in micro-USD, where an invoice may have it, `w` what its windows hold. */
export type StoredReservation = {
  a: number;
  n: number;
  x: number;
  t: number;
  p: string;
  g: string;
  i: number;
  u: number;
  o?: 1;
  c?: 1;
  f?: 1;
  k?: number;
  w?: Readonly<Record<string, number>>;
};

type StoredTombstone = { n: -1; x: number };

const nanoUsdPerMicroUsd = nanoUsdPerUsd / 1_000_000;

/** The version of a tombstone; no reservation has it. */
export const tombstoneVersion = -1;

const prefix = "r#";

export function reservationName(requestId: string): string {
  return prefix + shortId(requestId);
}

export function stored(reservation: Reservation): StoredReservation {
  const { amount, version, leaseEndsAt, admittedAt, profile, region, bounds, overdraft } = reservation;
  return {
    a: amount,
    n: version,
    x: leaseEndsAt,
    t: admittedAt,
    p: profile.replace(longPart, shortPart),
    g: shortRegions.get(region) ?? region,
    i: bounds.input,
    u: bounds.output,
    ...(overdraft && { o: 1 }),
    ...(reservation.onCredit && { c: 1 }),
    ...(reservation.onPlatform && { f: 1 }),
    ...knownOf(reservation),
    ...(reservation.held && { w: reservation.held }),
  };
}

/** In micro-USD, so that it is short. What free credit pays, or nobody, is not billed. */
export function knownOf(reservation: Pick<Reservation, "known" | "onCredit" | "onPlatform">): { k?: number } {
  const { known, onCredit, onPlatform } = reservation;
  return known === undefined || onCredit || onPlatform ? {} : { k: Math.floor(known / nanoUsdPerMicroUsd) };
}

export function storedTombstone({ leaseEndsAt }: Tombstone): StoredTombstone {
  return { n: tombstoneVersion, x: leaseEndsAt };
}

/** All reservations and tombstones of an item. */
export function reservationsOf(item: Record<string, unknown>): Found {
  const found: Found = { reservations: [], tombstones: [] };
  for (const [name, value] of Object.entries(item)) {
    if (!name.startsWith(prefix)) continue;
    const requestId = longId(name.slice(prefix.length));
    const { n, x } = value as StoredTombstone;
    if (n === tombstoneVersion) found.tombstones.push({ requestId, leaseEndsAt: x });
    else found.reservations.push(restored(requestId, value as StoredReservation));
  }
  return found;
}

type Found = { reservations: Reservation[]; tombstones: Tombstone[] };

function restored(requestId: string, { a, n, x, t, p, g, i, u, o, c, f, k, w }: StoredReservation): Reservation {
  return {
    requestId,
    amount: a,
    version: n,
    leaseEndsAt: x,
    admittedAt: t,
    profile: p.replace(shortPart, longPart),
    region: longRegions.get(g) ?? g,
    bounds: { input: i, output: u },
    overdraft: o === 1,
    onCredit: c === 1,
    ...(f === 1 && { onPlatform: true }),
    ...(k !== undefined && { known: k * nanoUsdPerMicroUsd }),
    ...(w && { held: w }),
  };
}

/** `k` tokens, `c` caller, `m` month, `x` lease's end. */
type StoredCreditReservation = { k: number; c: string; m: string; x: number };

/** All reservations of a credit item. */
export function creditReservationsOf(item: Record<string, unknown>): CreditReservation[] {
  return Object.entries(item)
    .filter(([name]) => name.startsWith(prefix))
    .map(([name, value]) => {
      const { k, c, m, x } = value as StoredCreditReservation;
      return { requestId: longId(name.slice(prefix.length)), tokens: k, callerId: c, month: m, leaseEndsAt: x };
    });
}

/** All profiles so far contain this part. */
const longPart = "anthropic.claude-";
const shortPart = "~";

/** A region that is not in the catalog stays as it is. */
const shortRegions = new Map(regions.map((region) => [region as string, shortened(region)]));
const longRegions = new Map(regions.map((region) => [shortened(region), region as string]));

/** `eu-central-1` is `euc1`. */
function shortened(region: Region): string {
  const [area, side = "", number] = region.split("-");
  return `${area}${side[0]}${number}`;
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const asIs = "=";

/** Lambda's request ids are UUIDs: 22 characters instead of 36. Other ids stay as they are, behind a mark. */
export function shortId(requestId: string): string {
  if (!uuid.test(requestId)) return asIs + requestId;
  return Buffer.from(requestId.replaceAll("-", ""), "hex").toString("base64url");
}

export function longId(short: string): string {
  if (short.startsWith(asIs)) return short.slice(asIs.length);
  const hex = Buffer.from(short, "base64url").toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}
