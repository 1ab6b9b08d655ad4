import { globSync } from "node:fs";
import { expect, test } from "@jest/globals";
import { activeCallerIndex } from "../../../adapters/dynamodb/budget/spending.record.ts";
import { ledgerRecord } from "../../../adapters/dynamodb/ledger/ledger.record.ts";
import { tenantProgressRecord } from "../../../adapters/dynamodb/ledger/metering-progress.record.ts";
import { adjustmentIndex } from "../../../adapters/dynamodb/metering/adjustment.record.ts";
import { reportRecord } from "../../../adapters/dynamodb/metering/report.record.ts";
import {
  activeTenantRecord,
  membershipRecord,
  profileRecord,
  signInAttributes,
} from "../../../adapters/dynamodb/people/user.record.ts";
import type { StoredRecord } from "../../../adapters/dynamodb/record.ts";
import { records } from "../../../adapters/dynamodb/records.ts";
import { table } from "../../../adapters/dynamodb/table.ts";
import { tenantRecord } from "../../../adapters/dynamodb/workspace/tenant.record.ts";
import { maxAgeMs } from "../../../domain/budget/unsettled.ts";
import { retentionMs } from "../../../domain/kernel/retention.ts";
import { shardOf } from "../../../domain/metering/shard.ts";

const all: StoredRecord[] = Object.values(records);
const prefixes = {
  table: [...new Set(all.map(({ prefix }) => prefix))],
  index: [...new Set(all.flatMap(({ patterns }) => patterns.index?.pk.prefix ?? []))],
  activeIndex: [...new Set(all.flatMap(({ patterns }) => patterns.activeIndex?.pk.prefix ?? []))],
};

test("every record that a file declares is in adapters/dynamodb/records.ts, and each has its own title", async () => {
  const files = globSync("adapters/dynamodb/*/*.record.ts");
  const modules = await Promise.all(files.map((file) => import(`../../../${file}`)));
  const declared = modules.flatMap((module) => Object.entries(module).filter(([name]) => name.endsWith("Record")));
  expect(declared.map(([name]) => name).toSorted()).toEqual(
    Object.keys(records)
      .map((name) => `${name}Record`.replace("RecordRecord", "Record"))
      .toSorted(),
  );
  expect(new Set(all.map(({ title }) => title)).size).toBe(all.length);
});

test("all records of one kind have the same prefix, which no other kind has", () => {
  const kinds = Map.groupBy(all, ({ prefix }) => prefix);
  for (const [prefix, some] of kinds) expect([prefix, new Set(some.map(({ kind }) => kind)).size]).toEqual([prefix, 1]);
  expect(new Set(all.map(({ kind }) => kind)).size).toBe(kinds.size);
});

test.each(Object.entries(prefixes))(
  "no prefix of the %s is the beginning of another, because rights to one would then be rights to both",
  (_, found) => {
    const beginnings = found.flatMap((prefix) => found.filter((other) => other !== prefix && other.startsWith(prefix)));
    expect(beginnings).toEqual([]);
  },
);

test("every prefix ends with `#`, and contains no character that is a pattern for IAM", () => {
  for (const prefix of Object.values(prefixes).flat()) expect(prefix).toMatch(/^[A-Z]+#$/);
});

test("two records of a kind never have the same keys", () => {
  const values = sample("x");
  for (const record of all) {
    const others = all.filter((other) => other.kind === record.kind && other.valuesOf(record.key(values)));
    // A name may be read in any key of its partition, and a record with a fixed key or a longer beginning is told first.
    expect(others).toContain(record);
  }
});

/** Values for every pattern: what a path can name is this text. */
function sample(text: string): Record<string, string> {
  const names = all.flatMap(({ patterns: { pk, sk, index, activeIndex } }) =>
    [pk, sk, index?.pk, index?.sk, activeIndex?.pk, activeIndex?.sk].flatMap((one) => one?.names ?? []),
  );
  const times = { at: "2026-11-21T05:00:00.000Z", since: "2026-11-21T05:00:00.000Z", hour: "2026-11-21T05" };
  const short = { month: "2026-11", day: "2026-11-21", created_at: times.at, read_at: times.at, ...times };
  const made = { tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d", run_id: "r".repeat(41), audit_id: "a".repeat(36) };
  const fixed = { what: "suspended", model: "claude-opus-5" };
  const numbers = { shard: "63", version: "12" };
  return { ...Object.fromEntries(names.map((name) => [name, text])), ...short, ...made, ...fixed, ...numbers };
}

test("the longest key that a path can name fits into DynamoDB's limits: 2,048 bytes of UTF-8 and, for the sort key, 1,024", () => {
  // The control plane takes 255 characters of a parameter, of at most three bytes each.
  const values = sample("\u20ac".repeat(255));
  for (const record of all) {
    const { index, activeIndex } = record.patterns;
    const listings = [index, activeIndex].flatMap((one) =>
      one ? [{ pk: one.pk.text(values), sk: one.sk.text(values) }] : [],
    );
    for (const { pk, sk } of [record.key(values), ...listings]) {
      expect(Buffer.byteLength(pk)).toBeLessThanOrEqual(2_048);
      expect(Buffer.byteLength(sk)).toBeLessThanOrEqual(1_024);
    }
  }
});

test("the specification's keys are spelt as the specification says", () => {
  expect(profileRecord.key({ sub: "ann" }).pk).toBe("USER#ann");
  expect(membershipRecord.key({ sub: "ann", tenant_id: "t1" }).pk).toBe("USER#ann");
  expect(activeTenantRecord.key({ sub: "ann", client_id: "app" }).pk).toBe("USER#ann");
  expect(tenantRecord.indexKey({ slug: "acme" }).gsi1_pk).toBe("SLUG#acme");
});

test("the specification's right for a sign-in covers the table's keys, but cannot write whose member a person is or in which role", () => {
  const { partitionKey, sortKey, index: gsi } = table;
  expect(signInAttributes).toEqual(expect.arrayContaining([partitionKey, sortKey, gsi.partitionKey, gsi.sortKey]));
  for (const name of ["tenant_id", "tenant_role"]) expect(signInAttributes).not.toContain(name);
});

test("an active caller is listed by month and shard of the tenant, an adjustment only by the shard", () => {
  const shard = shardOf("t1");
  const caller = activeCallerIndex({ tenantId: "t1", callerId: "ann", month: "2026-11" });
  expect(caller).toEqual({ gsi2_pk: `ACTIVE#2026-11#${shard}`, gsi2_sk: "t1#ann" });
  expect(adjustmentIndex("t1", "req_1").gsi2_pk).toMatch(new RegExp(`#${shard}$`));
});

test("the ledger is kept for longer than late usage can arrive, and reports and progress for longer than the ledger", () => {
  expect(retentionMs(ledgerRecord.life)).toBeGreaterThan(maxAgeMs);
  expect(retentionMs(reportRecord.life)).toBeGreaterThan(retentionMs(ledgerRecord.life));
  expect(retentionMs(tenantProgressRecord.life)).toBeGreaterThan(retentionMs(ledgerRecord.life));
});
