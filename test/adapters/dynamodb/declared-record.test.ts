// A record that this file alone declares: rights, purge, time to live and the tables of docs/storage.md follow from its declaration.
import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type * as aws from "@pulumi/aws";
import * as pulumi from "@pulumi/pulumi";
import * as z from "zod";
import { tenantRemains } from "../../../adapters/dynamodb/provisioning/tenant-remains.ts";
import { defineRecord } from "../../../adapters/dynamodb/record.ts";
import { records } from "../../../adapters/dynamodb/records.ts";
import { purgeRights, removals } from "../../../adapters/dynamodb/removal.ts";
import { rowsOf } from "../../../adapters/dynamodb/rows.ts";
import { policyBody, tableLink } from "../../../components/link.ts";
import { controlRights } from "../../../components/tenant-platform/control-rights.ts";
import { purgeTable, recordTable, rightsTable } from "../../../docs/storage.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { limitedClient } from "../../support/dynamodb/limited-client.ts";
import { openStores, tableName } from "../../support/dynamodb/stores.ts";

const bookmark = defineRecord({
  kind: "bookmark",
  title: "bookmark",
  pk: "BOOKMARK#{tenant_id}",
  sk: "{name}",
  schema: z.object({ address: z.string() }),
  version: 1,
  life: { days: 90 },
  purge: { with: "workspace", by: "partition" },
  control: ["get", "query", "put"],
  written: "by `control`, when somebody keeps an address",
});
const visit = defineRecord({
  kind: "visit",
  title: "visit",
  pk: "VISIT#{tenant_id}#{name}",
  sk: "{time}",
  schema: z.object({}),
  version: 1,
  life: "with the bookmark",
  purge: { with: "workspace", by: "partition", through: "bookmark" },
  written: "with each visit",
});
const declared = { ...records, bookmark, visit };

let opened: Awaited<ReturnType<typeof openStores>>;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

const table = { name: pulumi.output("main"), arn: pulumi.output("arn:table") } as aws.dynamodb.Table;
const known = <T>(output: pulumi.Input<T>) =>
  new Promise<pulumi.Unwrap<T>>((resolve) => pulumi.output(output).apply(resolve));

test("a function's policy statements follow from the records and verbs in its table link", async () => {
  const { allow } = tableLink(table, { get: ["tenant", "bookmark"], put: ["bookmark"] }, declared);
  const keys = (await known(allow)).map(({ conditions }) => conditions?.["ForAllValues:StringLike"]);
  expect(keys).toEqual([
    { "dynamodb:LeadingKeys": ["TENANT#*", "BOOKMARK#*"] },
    { "dynamodb:LeadingKeys": ["BOOKMARK#*"] },
  ]);
});

test("the control plane has the rights on the record that its declaration names, and no other", () => {
  const { get, query, put, update, delete: deleted } = controlRights(declared);
  for (const kinds of [get, query, put]) expect(kinds).toEqual(expect.arrayContaining(["bookmark"]));
  for (const kinds of [update, deleted]) expect(kinds).not.toEqual(expect.arrayContaining(["bookmark"]));
  for (const kinds of [get, query, put, update, deleted]) expect(kinds).not.toEqual(expect.arrayContaining(["visit"]));
});

test("the control plane of the tests is refused what a record's declaration does not name, in words that name it", async () => {
  const denied: string[] = [];
  const rows = rowsOf(
    limitedClient(opened.document, (words) => denied.push(words), declared),
    tableName,
  );
  const key = bookmark.key({ tenant_id: "rights", name: "docs" });
  expect(await rows.put({ ...key, address: "https://docs.example.com" })).toBe(true);
  expect(await rows.get(key)).toMatchObject({ address: "https://docs.example.com" });
  await expect(rows.delete(key)).rejects.toThrow('no right "delete" on BOOKMARK#rights');
  await expect(rows.transact([{ Put: { Item: key } }, { Delete: { Key: key } }])).rejects.toThrow('no right "delete"');
  await expect(rows.query(visit.range({ tenant_id: "rights", name: "docs" }))).rejects.toThrow(
    'no right "query" on VISIT#',
  );
  expect(denied).toHaveLength(3);
});

test("the purge may delete the record, and removes its rows after rows that are found through them", async () => {
  const rights = purgeRights(declared);
  expect(rights.query).toEqual(expect.arrayContaining(["bookmark", "visit"]));
  expect(rights.delete).toEqual(expect.arrayContaining(["bookmark", "visit"]));
  const order = removals(declared, "workspace").map(({ name }) => name);
  expect(order.indexOf("visit")).toBeLessThan(order.indexOf("bookmark"));
  expect(order.indexOf("bookmark")).toBeLessThan(order.indexOf("manifest"));
});

test("a purge removes the record's rows of the workspace, and of no other workspace", async () => {
  const rows = rowsOf(opened.document, tableName);
  const of = (tenant_id: string) => [
    bookmark.key({ tenant_id, name: "docs" }),
    visit.key({ tenant_id, name: "docs", time: "1" }),
  ];
  for (const Item of [...of("left"), ...of("stays")]) {
    await opened.document.send(new PutCommand({ TableName: tableName, Item }));
  }
  const created_at = "2026-11-01T00:00:00.000Z";
  const tenant = { tenant_id: "left", slug: "left", owner_sub: "ann", created_at, deleted_at: created_at } as Tenant;
  const removed = await tenantRemains(rows, declared).remove(tenant, Date.parse("2026-11-20T00:00:00.000Z"));
  expect(removed).toMatchObject({ bookmark: 1, visit: 1 });
  const left = await Promise.all([...of("left"), ...of("stays")].map((key) => rows.get(key)));
  expect(left.map((row) => row !== undefined)).toEqual([false, false, true, true]);
});

test("a row's time to live follows from the record's declared life", () => {
  expect(bookmark.expiresAt(0)).toBe(90 * 86_400);
});

test("the tables of docs/storage.md contain the record's keys, life, purge and rights", async () => {
  expect(recordTable(declared)).toContain(
    "| bookmark | `BOOKMARK#<tenant_id>` | `<name>` | | by `control`, when somebody keeps an address | 90 days | 1 |",
  );
  expect(purgeTable(declared)).toContain("| visit | the workspace | as the rows of a partition, through bookmark |");
  const { allow } = tableLink(table, { get: ["bookmark"], updateOnly: { bookmark: ["pk", "sk"] } }, declared);
  const policy = JSON.stringify(await known(policyBody(allow)));
  expect(rightsTable([{ name: "control", inputs: { policy } }], declared)).toContain("| `BOOKMARK#` | get, update* |");
});

test("a record that is found through an undeclared record is an error when the purge's rights are computed", () => {
  const lost = defineRecord({ ...visit, purge: { with: "workspace", by: "partition", through: "nothing" } });
  expect(() => purgeRights({ lost })).toThrow('"visit" is found through "nothing", which is no record');
});
