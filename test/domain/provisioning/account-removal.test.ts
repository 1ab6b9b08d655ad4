import { beforeEach, expect, test } from "@jest/globals";
import type { Membership } from "../../../domain/people/user.ts";
import { type AccountRemovalDependencies, removeAccounts } from "../../../domain/provisioning/account-removal.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";

let tenant: Tenant | undefined;
let accounts: Set<string>;

beforeEach(() => {
  tenant = { tenant_id: "t1", status: "deleted" } as Tenant;
  accounts = new Set([...Object.keys(goes), ...Object.keys(stays), "root"]);
});

const owner = (tenant_id = "t1") => ({ tenant_id, tenant_role: "owner", status: "active" }) as Membership;
const made = (tenant_id = "t1", status?: Membership["status"]) =>
  ({ tenant_id, tenant_role: "developer", made_account: true, ...(status && { status }) }) as Membership;
const invited = (tenant_id = "t1", status?: Membership["status"]) =>
  ({ tenant_id, tenant_role: "developer", ...(status && { status }) }) as Membership;

const goes: Record<string, Membership[]> = {
  "the owner": [owner()],
  "an owner who was removed elsewhere": [owner(), invited("t2", "removed")],
  "an owner whose other workspace is purged at the same time": [owner(), owner("t3")],
  "whom an invitation made": [made("t1", "active")],
  "whom an invitation made that nobody followed": [made()],
  "who belongs to a deleted workspace too": [made("t1", "active"), made("deleted", "active")],
};
const stays: Record<string, Membership[]> = {
  "who had the account before and never came": [invited()],
  "who had the account before and came": [invited("t1", "active")],
  "who was removed from it": [made("t1", "removed")],
  "who belongs elsewhere": [made("t1", "active"), invited("t2", "active")],
  "who is invited elsewhere": [made("t1", "active"), invited("t2")],
  "an owner who belongs elsewhere": [owner(), invited("t2", "active")],
  "an owner of another": [owner(), owner("t2")],
  "who is creating a workspace": [made("t1", "active")],
};
const owned: Record<string, string[]> = {
  "the owner": ["t1"],
  "an owner of another": ["t2"],
  "who is creating a workspace": ["t4"],
};

const deps = () =>
  ({
    tenants: {
      get: async (id: string) =>
        id === "t1" ? tenant : { tenant_id: id, status: id === "deleted" ? "deleted" : "active" },
    },
    users: {
      record: async (sub: string) => ({
        profile: { sub, email: `${sub}@Example.com`, approval_status: "approved", created_at: "" },
        memberships: goes[sub] ?? stays[sub] ?? [owner()],
        activeTenants: {},
      }),
    },
    ownedTenants: { of: async (sub: string) => owned[sub] ?? [] },
    accounts: { remove: async (sub: string) => accounts.delete(sub) },
    platformAdmins: ["root@example.com"],
  }) as unknown as AccountRemovalDependencies;

test("purging an owner's last workspace removes the owner's account, and those that the owner's invitations created, if they have no other workspace", async () => {
  const subs = [...accounts];
  expect(await removeAccounts(deps(), "t1", subs)).toEqual({
    gone: Object.keys(goes),
    removed: Object.keys(goes).length,
  });
  expect([...accounts]).toEqual([...Object.keys(stays), "root"]);
});

test("removing accounts again names those that are gone already, and removes no one", async () => {
  const asked = ["the owner", "who belongs elsewhere"];
  await removeAccounts(deps(), "t1", asked);
  expect(await removeAccounts(deps(), "t1", asked)).toEqual({ gone: ["the owner"], removed: 0 });
});

test.each(["active", "suspended"] as const)(
  "no account of a tenant that is %s is removed, whoever asks",
  async (status) => {
    tenant = { ...(tenant as Tenant), status };
    await expect(removeAccounts(deps(), "t1", ["the owner"])).rejects.toMatchObject({
      code: "workspace_not_deleted",
    });
    expect(accounts).toContain("the owner");
  },
);
