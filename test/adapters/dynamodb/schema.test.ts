import { expect, test } from "@jest/globals";
import {
  activeCallerIndex,
  activeIndex,
  activeListings,
  adjustmentIndex,
  index,
  keys,
  listings,
  records,
  signInAttributes,
  table,
} from "../../../adapters/dynamodb/schema.ts";
import { shardOf } from "../../../domain/metering/shard.ts";

test.each([
  ["kinds of records", records],
  ["listings of the index", listings],
  ["listings of the index of active callers", activeListings],
])("no prefix of the %s is the beginning of another: rights to one would be rights to both", (_, kinds) => {
  const prefixes = Object.values<string>(kinds);
  const beginnings = prefixes.flatMap((prefix, place) =>
    prefixes.filter((other, otherPlace) => place !== otherPlace && other.startsWith(prefix)),
  );
  expect(beginnings).toEqual([]);
});

test("every prefix ends where an id begins, and has nothing that IAM takes for a pattern", () => {
  for (const prefix of [...Object.values(records), ...Object.values(listings), ...Object.values(activeListings)]) {
    expect(prefix).toMatch(/^[A-Z]+#$/);
  }
});

test("every value of a path fits into DynamoDB's keys: 2,048 bytes, and 1,024 for sort keys", () => {
  // The control plane takes 255 characters of a parameter, of at most three bytes each.
  const named = "\u20ac".repeat(255);
  const tenantId = "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d";
  const found = [
    ...[keys.tenant(named), keys.profile(named), keys.apiKey(named), keys.credit(named), keys.slugReservation(named)],
    ...[keys.membership(named, named), keys.activeTenant(named, named), keys.idempotency(named, named)],
    ...[keys.grant(tenantId, named), keys.manifest(tenantId, named), keys.spending(tenantId, named, "2026-11")],
    ...[keys.activeKeys(tenantId, named), keys.lastUse(named), keys.serviceAccounts(tenantId)],
    ...[keys.report(tenantId, "2026-11-21T05"), keys.adjustment(tenantId, named)],
    ...[keys.tenantProgress(tenantId, "2026-11"), keys.shardProgress("2026-11", 63)],
    ...[activeCallerIndex({ tenantId, callerId: named, month: "2026-11" }), adjustmentIndex(tenantId, named)].map(
      ({ gsi2_pk: pk, gsi2_sk: sk }) => ({ pk, sk }),
    ),
    ...[index.member(tenantId, named), index.apiKey(tenantId, named), index.email(named), index.slug(named)].map(
      ({ gsi1_pk: pk, gsi1_sk: sk }) => ({ pk, sk }),
    ),
  ];
  for (const { pk, sk } of found) {
    expect(Buffer.byteLength(pk)).toBeLessThanOrEqual(2_048);
    expect(Buffer.byteLength(sk)).toBeLessThanOrEqual(1_024);
  }
});

test("the specification's own keys are as it writes them", () => {
  expect(keys.profile("ann").pk).toBe("USER#ann");
  expect(keys.membership("ann", "t1").pk).toBe("USER#ann");
  expect(keys.activeTenant("ann", "app").pk).toBe("USER#ann");
  expect(index.slug("acme").gsi1_pk).toBe("SLUG#acme");
});

test("a sign-in names the table's keys, and never whose member a person is or as what", () => {
  const { partitionKey, sortKey, index: gsi } = table;
  expect(signInAttributes).toEqual(expect.arrayContaining([partitionKey, sortKey, gsi.partitionKey, gsi.sortKey]));
  for (const name of ["tenant_id", "tenant_role"]) expect(signInAttributes).not.toContain(name);
});

test("an active caller is listed by month and the shard of its tenant, an adjustment only by the shard", () => {
  const key = { tenantId: "t1", callerId: "ann", month: "2026-11" };
  const shard = shardOf("t1");
  expect(activeCallerIndex(key)).toEqual({ gsi2_pk: `ACTIVE#2026-11#${shard}`, gsi2_sk: "t1#ann" });
  expect(activeCallerIndex(key).gsi2_pk).toBe(activeIndex.activeCallers("2026-11", shard));
  expect(adjustmentIndex("t1", "req_1")).toEqual({ gsi2_pk: activeIndex.adjustments(shard), gsi2_sk: "t1#req_1" });
});
