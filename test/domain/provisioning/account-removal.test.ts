import { beforeEach, expect, test } from "@jest/globals";
import { type AccountRemovalDependencies, removeAccounts } from "../../../domain/provisioning/account-removal.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import type { Membership } from "../../../domain/workspace/user.ts";

let tenant: Tenant | undefined;
let accounts: Set<string>;

beforeEach(() => {
  tenant = { tenant_id: "t1", status: "deleted" } as Tenant;
  accounts = new Set(["ann", "bob", "cy", "dan", "root", "invited"]);
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
    accounts: { remove: async (sub: string) => accounts.delete(sub) },
    platformAdmins: ["root@example.com"],
  }) as unknown as AccountRemovalDependencies;

test("who belongs to no other tenant loses the account; others, platform admins and who was removed before keep it", async () => {
  const subs = Object.keys(people);
  expect(await removeAccounts(deps(), "t1", subs)).toEqual({ gone: ["ann", "dan"], removed: 2 });
  expect([...accounts]).toEqual(["bob", "cy", "root", "invited"]);
});

test("a repeat names those who are gone again, and removes nobody", async () => {
  const asked = ["ann", "bob"];
  await removeAccounts(deps(), "t1", asked);
  expect(await removeAccounts(deps(), "t1", asked)).toEqual({ gone: ["ann"], removed: 0 });
});

test.each(["active", "suspended"] as const)(
  "nothing of a tenant that is %s is removed, whoever asks",
  async (status) => {
    tenant = { ...(tenant as Tenant), status };
    await expect(removeAccounts(deps(), "t1", ["ann"])).rejects.toMatchObject({
      code: "conflict",
    });
    expect(accounts.size).toBe(6);
  },
);
