// How a reservation is stored: nothing of it is lost, and 64 of them stay under 8 KB.
import { marshall } from "@aws-sdk/util-dynamodb";
import { describe, expect, test } from "@jest/globals";
import fc from "fast-check";
import { activeCallerIndex, spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import {
  longId,
  reservationName,
  reservationsOf,
  shortId,
  stored,
  storedTombstone,
} from "../../../../adapters/dynamodb/budget/stored-reservation.ts";
import type { Reservation } from "../../../../domain/budget/reservation.ts";
import { parseCatalog } from "../../../../domain/catalog/catalog.ts";
import catalogData from "../../../../domain/catalog/catalog-data.ts";
import { regions } from "../../../../domain/catalog/region.ts";
import { itemBytes } from "../../../support/dynamodb/item-bytes.ts";

const { models } = parseCatalog(catalogData);
const profiles = models.flatMap((model) => Object.values(model.profiles).flatMap((some) => Object.values(some)));
const longest = (texts: readonly string[]) => texts.toSorted((a, b) => b.length - a.length)[0] ?? "";

const anyId = fc.oneof(
  fc.uuid(),
  fc.string(),
  fc.uuid().map((id) => id.toUpperCase()),
  fc.constant("="),
);
const anyReservation: fc.Arbitrary<Reservation> = fc.record({
  requestId: anyId,
  amount: fc.nat({ max: Number.MAX_SAFE_INTEGER }),
  version: fc.nat({ max: 12_000 }),
  leaseEndsAt: fc.nat({ max: 4e12 }),
  overdraft: fc.boolean(),
  admittedAt: fc.nat({ max: 4e12 }),
  profile: fc.constantFrom(...profiles, "another.vendor-model:1", "anthropic.claude-x"),
  region: fc.constantFrom(...regions, "ap-northeast-1", "us-gov-west-1", "eu-west-3"),
  bounds: fc.record({ input: fc.nat({ max: 2e6 }), output: fc.nat({ max: 2e5 }) }),
  onCredit: fc.boolean(),
});

describe("a reservation", () => {
  test("a stored reservation is read as it was written, whatever its request's id is", () => {
    fc.assert(
      fc.property(anyReservation, (reservation) => {
        const item = { pk: "p", [reservationName(reservation.requestId)]: stored(reservation) };
        expect(reservationsOf(item)).toEqual({ reservations: [reservation], tombstones: [] });
      }),
    );
  });

  test("a stored reservation keeps the known part of its cost in whole micro-USD, unless free credit pays", () => {
    fc.assert(
      fc.property(anyReservation, fc.nat(), (reservation, known) => {
        const item = { [reservationName(reservation.requestId)]: stored({ ...reservation, known }) };
        const kept = reservation.onCredit ? undefined : known - (known % 1_000);
        expect(reservationsOf(item).reservations).toMatchObject([kept === undefined ? reservation : { known: kept }]);
      }),
    );
  });

  test("several reservations are stored in one item, beside tombstones and other attributes", () => {
    fc.assert(
      fc.property(fc.uniqueArray(anyReservation, { selector: ({ requestId }) => requestId, minLength: 2 }), (all) => {
        const [first, ...rest] = all.map((each) => [reservationName(each.requestId), each] as const);
        const tombstone = { requestId: first?.[1].requestId ?? "", leaseEndsAt: 5 };
        const item = {
          ...{ spent: 1, overdraft: "r#", expires_at: 5 },
          ...Object.fromEntries(rest.map(([name, each]) => [name, stored(each)])),
          [first?.[0] ?? ""]: storedTombstone(tombstone),
        };
        expect(reservationsOf(item)).toEqual({ reservations: all.slice(1), tombstones: [tombstone] });
      }),
    );
  });
});

describe("a request's id", () => {
  const id = "7c6f1d8e-00ff-4a2b-9cde-0123456789ab";

  test("Lambda's request ids are stored in 22 characters, and other ids in one character more than they have", () => {
    expect(shortId(id)).toHaveLength(22);
    expect(shortId(id.toUpperCase())).toHaveLength(37);
    expect(shortId("r1")).toBe("=r1");
  });

  test("two different request ids are never stored as the same text", () => {
    fc.assert(
      fc.property(anyId, anyId, (one, other) => {
        expect(longId(shortId(one))).toBe(one);
        expect(shortId(one) === shortId(other)).toBe(one === other);
      }),
    );
  });
});

test("an item with 64 reservations is below 8 KB, with each attribute at its longest", () => {
  const uuid = (index: number) => `7c6f1d8e-00ff-4a2b-9cde-${String(index).padStart(12, "0")}`;
  const key = { tenantId: uuid(0), callerId: uuid(1), month: "2026-11" };
  const reservation: Reservation = {
    requestId: "",
    amount: 9_999_999_999_999,
    version: 11_999,
    leaseEndsAt: 1_999_999_999_999,
    overdraft: false,
    admittedAt: 1_999_999_999_999,
    profile: longest(profiles),
    region: longest(regions),
    bounds: { input: 1_999_999, output: 127_999 },
    onCredit: false,
    // The longest prompt and answer cost less.
    known: 99_999_999_000,
  };
  const item = {
    ...spendingRecord.key({ tenant_id: key.tenantId, caller_id: key.callerId, month: key.month }),
    ...activeCallerIndex({ ...key }),
    gsi2_pk: "ACTIVE#2026-11#63",
    ...{ spent: Number.MAX_SAFE_INTEGER, committed: Number.MAX_SAFE_INTEGER, inflight: 64 },
    ...{ tat: 1_999_999_999_999_999, expires_at: 1_999_999_999, overdraft: shortId(uuid(2)) },
  };
  const withReservations = (changes: Partial<Reservation>) => ({
    ...item,
    ...Object.fromEntries(
      Array.from({ length: 64 }, (_, index) => [
        reservationName(uuid(index)),
        stored({ ...reservation, ...changes, overdraft: index === 0 }),
      ]),
    ),
  });
  const each = { [reservationName(uuid(0))]: stored(reservation) };
  expect(itemBytes(marshall(each))).toBeLessThanOrEqual(123);
  expect(itemBytes(marshall(withReservations({})))).toBeLessThan(8_192);
  expect(itemBytes(marshall(withReservations({ onCredit: true })))).toBeLessThan(8_192);
  expect(itemBytes(marshall(withReservations({ onPlatform: true })))).toBeLessThan(8_192);
});
