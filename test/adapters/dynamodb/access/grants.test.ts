import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { auditRecord } from "../../../../adapters/dynamodb/workspace/audit.record.ts";
import type { GrantRecord } from "../../../../domain/access/grant.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { anEntry } from "../../../support/people/api-keys.ts";
import { aMoment, memberCommand } from "../../../support/people/members.ts";

type Stores = Awaited<ReturnType<typeof openStores>>;

let opened: Stores;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

function aGrant(dev_sub: string, changes: Partial<GrantRecord> = {}): GrantRecord {
  return {
    tenant_id: "t1",
    dev_sub,
    allowed_models: ["*"],
    allowed_regions: ["eu-central-1"],
    monthly_budget_usd: 0.000000001,
    budget_enforcement: "reserved",
    allow_global_profiles: false,
    updated_at: aMoment,
    updated_by: "owner",
    ...changes,
  };
}

const entry = () => anEntry({ action: "grant.put" });
const give = (grant: GrantRecord) => opened.stores.grants.put(grant, { before: undefined, entry: entry() });

const join = (sub: string, changes = {}) => opened.document.send(memberCommand({ sub, tenant_id: "t1", ...changes }));

test("a member's grant is stored as given, and a new grant replaces it completely", async () => {
  const { grants } = opened.stores;
  await join("ann", { status: "active" });
  const before = aGrant("ann", { max_in_flight: 2, rate_limit: { burst: 1, per_minute: 2 } });
  expect(await give(before)).toBe(true);
  expect(await grants.get("t1", "ann")).toEqual(before);
  expect(await grants.put(aGrant("ann"), { before, entry: entry() })).toBe(true);
  expect(await grants.get("t1", "ann")).toEqual(aGrant("ann"));
});

test("a grant is written only for a member or an invited person", async () => {
  const { grants } = opened.stores;
  await join("invited", { invited_at: aMoment });
  await join("removed", { status: "removed" });
  expect(await give(aGrant("invited"))).toBe(true);
  expect(await give(aGrant("removed"))).toBe(false);
  expect(await give(aGrant("stranger"))).toBe(false);
  expect(await give(aGrant("ann", { tenant_id: "t2" }))).toBe(false);
  expect(await grants.get("t1", "removed")).toBeUndefined();
});

test("each write of a grant has its audit entry, and a refused write has none", async () => {
  const { grants } = opened.stores;
  await opened.document.send(memberCommand({ sub: "ann", tenant_id: "told", status: "active" }));
  const grant = aGrant("ann", { tenant_id: "told" });
  const of = (target: string) => anEntry({ tenant_id: "told", action: "grant.put", target });
  const other = { ...grant, updated_at: "2026-11-21T06:00:00.000Z" };
  expect(await grants.put(grant, { before: undefined, entry: of("first") })).toBe(true);
  expect(await grants.put(other, { before: undefined, entry: of("late") })).toBe("stale");
  expect(await grants.put(other, { before: grant, entry: of("second") })).toBe(true);
  expect(await grants.delete("told", "ann", { before: grant, entry: of("late") })).toBe(false);
  expect(await grants.delete("told", "ann", { before: other, entry: of("end") })).toBe(true);
  expect(await grants.delete("told", "ann", { before: other, entry: of("late") })).toBe(false);
  const { Items = [] } = await opened.document.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": auditRecord.range({ trail: "told", at: "2026-11" }).pk },
    }),
  );
  expect(Items.map(({ target }) => target).toSorted()).toEqual(["end", "first", "second"]);
});

test("deleting a grant returns whether there was a grant", async () => {
  const { grants } = opened.stores;
  await join("bob", { status: "active" });
  await give(aGrant("bob"));
  expect(await grants.delete("t1", "bob", { before: aGrant("bob"), entry: entry() })).toBe(true);
  expect(await grants.delete("t1", "bob", { before: aGrant("bob"), entry: entry() })).toBe(false);
});

test("the last page of grants has no next page, even if it is full", async () => {
  const { grants } = opened.stores;
  for (const sub of ["p1", "p2", "p3", "p4"]) {
    await opened.document.send(memberCommand({ sub, tenant_id: "pages", status: "active" }));
    await give(aGrant(sub, { tenant_id: "pages" }));
  }
  const first = await grants.list("pages", { limit: 3, after: undefined });
  expect([first.items.map(({ dev_sub }) => dev_sub), first.next]).toEqual([["p1", "p2", "p3"], "p3"]);
  const second = await grants.list("pages", { limit: 3, after: first.next });
  expect([second.items.map(({ dev_sub }) => dev_sub), second.next]).toEqual([["p4"], undefined]);
});
