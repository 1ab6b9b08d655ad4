import { afterAll, beforeAll, expect, test } from "@jest/globals";
import type { GrantRecord } from "../../../domain/access/grant.ts";
import { openStores } from "../../support/control-plane.ts";
import { aMoment, memberCommand } from "../../support/members.ts";

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

const join = (sub: string, changes = {}) => opened.document.send(memberCommand({ sub, tenant_id: "t1", ...changes }));

test("a member's grant is kept as it is given, and replaced whole", async () => {
  const { grants } = opened.stores;
  await join("ann", { status: "active" });
  const first = aGrant("ann", { max_in_flight: 2, rate_limit: { burst: 1, per_minute: 2 } });
  expect(await grants.put(first)).toBe(true);
  expect(await grants.get("t1", "ann")).toEqual(first);
  expect(await grants.put(aGrant("ann"))).toBe(true);
  expect(await grants.get("t1", "ann")).toEqual(aGrant("ann"));
});

test("only a member or an invited person gets one", async () => {
  const { grants } = opened.stores;
  await join("invited", { invited_at: aMoment });
  await join("removed", { status: "removed" });
  expect(await grants.put(aGrant("invited"))).toBe(true);
  expect(await grants.put(aGrant("removed"))).toBe(false);
  expect(await grants.put(aGrant("stranger"))).toBe(false);
  expect(await grants.put(aGrant("ann", { tenant_id: "t2" }))).toBe(false);
  expect(await grants.get("t1", "removed")).toBeUndefined();
});

test("deleting tells whether there was one", async () => {
  const { grants } = opened.stores;
  await join("bob", { status: "active" });
  await grants.put(aGrant("bob"));
  expect(await grants.delete("t1", "bob")).toBe(true);
  expect(await grants.delete("t1", "bob")).toBe(false);
});

test("the last page has no next, even if it is full", async () => {
  const { grants } = opened.stores;
  for (const sub of ["p1", "p2", "p3", "p4"]) {
    await opened.document.send(memberCommand({ sub, tenant_id: "pages", status: "active" }));
    await grants.put(aGrant(sub, { tenant_id: "pages" }));
  }
  const first = await grants.list("pages", { limit: 3, after: undefined });
  expect([first.items.map(({ dev_sub }) => dev_sub), first.next]).toEqual([["p1", "p2", "p3"], "p3"]);
  const second = await grants.list("pages", { limit: 3, after: first.next });
  expect([second.items.map(({ dev_sub }) => dev_sub), second.next]).toEqual([["p4"], undefined]);
});
