import { beforeEach, expect, test } from "@jest/globals";
import { type RemovalDependencies, removeAccounts, removeTenantOutside } from "../../../domain/provisioning/removal.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { Membership } from "../../../domain/workspace/user.ts";

let tenant: Tenant | undefined;
let accounts: Set<string>;
let keys: Set<string>;

beforeEach(() => {
  tenant = { tenant_id: "t1", status: "deleted" } as Tenant;
  accounts = new Set(["ann", "bob", "cy", "dan", "root", "invited"]);
  keys = new Set(["k1", "k2"]);
});

const at = (tenant_id: string, status?: Membership["status"]) =>
  ({ tenant_id, ...(status && { status }) }) as Membership;
const people: Record<string, Membership[]> = {
  ann: [at("t1", "active")],
  bob: [at("t1", "active"), at("t2", "active")],
  cy: [at("t1", "removed")],
  dan: [at("t1", "active"), at("t2", "removed")],
  root: [at("t1", "active")],
  invited: [at("t1", "active"), at("t2")],
};

const deps = () =>
  ({
    tenants: { get: async () => tenant },
    users: {
      record: async (sub: string) => ({
        profile: { sub, email: `${sub}@Example.com`, approval_status: "approved", created_at: "" },
        memberships: people[sub] ?? [],
        activeTenants: {},
      }),
    },
    setups: { resource: async () => "k1" },
    keys: {
      named: async () => undefined,
      tagged: async () => [...keys],
      remove: async (arn: string) => keys.delete(arn),
      unname: async () => {},
    },
    accounts: { remove: async (sub: string) => accounts.delete(sub) },
    platformAdmins: ["root@example.com"],
  }) as unknown as RemovalDependencies;

test("a deleted tenant's keys are removed: the one that was noted, and whatever has its tag", async () => {
  expect(await removeTenantOutside(deps(), "t1")).toEqual({ kms_key: 2 });
  expect(await removeTenantOutside(deps(), "t1")).toEqual({ kms_key: 0 });
});

test("who belongs to no other tenant loses the account; others, platform admins and who was removed before keep it", async () => {
  const subs = Object.keys(people);
  expect(await removeAccounts(deps(), { tenant_id: "t1", subs })).toEqual({ gone: ["ann", "dan"], removed: 2 });
  expect([...accounts]).toEqual(["bob", "cy", "root", "invited"]);
});

test("a repeat names those who are gone again, and removes nobody", async () => {
  const asked = { tenant_id: "t1", subs: ["ann", "bob"] };
  await removeAccounts(deps(), asked);
  expect(await removeAccounts(deps(), asked)).toEqual({ gone: ["ann"], removed: 0 });
});

test.each(["active", "suspended"] as const)(
  "nothing of a tenant that is %s is removed, whoever asks",
  async (status) => {
    tenant = { ...(tenant as Tenant), status };
    await expect(removeTenantOutside(deps(), "t1")).rejects.toMatchObject({ code: "conflict" });
    await expect(removeAccounts(deps(), { tenant_id: "t1", subs: ["ann"] })).rejects.toMatchObject({
      code: "conflict",
    });
    expect([keys.size, accounts.size]).toEqual([2, 6]);
  },
);
