import { beforeEach, expect, test } from "@jest/globals";
import type { OutsideResources, Removal } from "../../../domain/provisioning/outside-resources.ts";
import {
  type ManifestEntry,
  type PurgeDependencies,
  purgeRequested,
  purgeTenant,
  secondsToSettle,
} from "../../../domain/provisioning/purge.ts";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";

const dayMs = 86_400_000;
const deletedAt = Date.parse("2026-11-21T05:00:00.000Z");
let tenant: Tenant | undefined;
let now: number;
let manifest: ManifestEntry[];
let removed: string[];
let forgotten: AuditEntry[];

beforeEach(() => {
  tenant = {
    tenant_id: "t1",
    slug: "acme",
    owner_sub: "ann",
    status: "deleted",
    deleted_at: new Date(deletedAt).toISOString(),
  } as Tenant;
  now = deletedAt + 14 * dayMs;
  manifest = [{ kind: "kms_key", state: "intended" }];
  forgotten = [];
  removed = [];
});

const annsProfile = {
  sub: "ann",
  email: "ann@acme.test",
  approval_status: "approved" as const,
  provider: "password",
  email_verified: true,
  created_at: "2026-11-01T00:00:00.000Z",
};

const deps = (): PurgeDependencies => ({
  tenants: { get: async () => tenant },
  remains: {
    deletedUntil: async function* () {},
    manifest: async () => manifest,
    people: async () => ["ann", "bob"],
    remove: async () => ({ grant: 2 }),
    forget: async (_, entry) => void forgotten.push(entry),
  },
  outside: [],
  ownedTenants: { release: async () => true },
  users: { record: async () => ({ profile: annsProfile, memberships: [], activeTenants: {} }) },
  accounts: { removeMembers: async () => ({ gone: [], removed: 0 }) },
  log: { info: () => {}, problem: () => {} },
  clock: () => now,
  newId: () => "e1",
});

const having = (removal: Removal): OutsideResources => ({
  steps: [],
  setUp: async () => {},
  async remove() {
    if (removal !== "waiting") removed.push(...Object.keys(removal));
    return removal;
  },
});

test("a tenant is purged 14 days after its deletion, and the platform's audit trail says what was removed", async () => {
  now -= 1;
  await purgeTenant(deps(), { tenant_id: "t1" });
  expect(forgotten).toEqual([]);
  now += 1;
  await purgeTenant(deps(), { tenant_id: "t1" });
  expect(forgotten).toMatchObject([
    { tenant_id: "platform", actor: "purge", action: "tenant.purge", target: "t1", after: { removed: { grant: 2 } } },
  ]);
});

test("a purge by a platform admin waits only until the deletion has settled", async () => {
  tenant = purgeRequested(tenant as Tenant, "root");
  now = deletedAt + 899_000;
  await expect(purgeTenant(deps(), { tenant_id: "t1" })).rejects.toThrow("has not settled yet");
  now = deletedAt + 900_000;
  await purgeTenant(deps(), { tenant_id: "t1" });
  expect(forgotten).toMatchObject([{ actor: "root" }]);
});

test("a workspace that is not deleted is not purged", async () => {
  for (const status of ["active", "suspended"] as const) {
    const open: Tenant = { ...(tenant as Tenant), status, purge_requested_by: "root" };
    expect(() => purgeRequested(open, "root")).toThrow("only a deleted one can be purged");
    tenant = open;
    await purgeTenant(deps(), { tenant_id: "t1" });
  }
  tenant = undefined;
  await purgeTenant(deps(), { tenant_id: "t1" });
  expect(forgotten).toEqual([]);
});

test("a tenant with remaining resources outside the table is kept until they are removed", async () => {
  manifest.push({ kind: "stripe_customer", state: "done" });
  await expect(purgeTenant(deps(), { tenant_id: "t1" })).rejects.toThrow("stripe_customer");
  expect(forgotten).toEqual([]);
  const outside = [having({ kms_key: 1 }), having({ stripe_customer: 1 })];
  await purgeTenant({ ...deps(), outside }, { tenant_id: "t1" });
  expect(removed).toEqual(["kms_key", "stripe_customer"]);
  expect(forgotten).toMatchObject([{ after: { removed: { kms_key: 1, stripe_customer: 1 } } }]);
});

test("a deletion settles within a quarter of an hour", () => {
  const seconds = (after: number) => secondsToSettle(tenant as Tenant, deletedAt + after);
  expect([0, 1, 899_999, 900_000, dayMs, -dayMs].map(seconds)).toEqual([900, 900, 1, 0, 0, 900]);
});

test("a resource that no function has removed does not count as removed", async () => {
  manifest.push({ kind: "stripe_customer", state: "done" });
  const outside = [having({ kms_key: 1 })];
  await expect(purgeTenant({ ...deps(), outside }, { tenant_id: "t1" })).rejects.toThrow("stripe_customer");
  expect(forgotten).toEqual([]);
});

test("people's accounts are removed before the rows by which they are found, and the report counts them", async () => {
  const asked: unknown[] = [];
  const outside = [having({ kms_key: 1 })];
  const accounts = {
    async removeMembers(_: string, subs: readonly string[]) {
      asked.push(["accounts", subs]);
      return { gone: ["ann"], removed: 1 };
    },
  };
  const remains = {
    ...deps().remains,
    async remove(_: Tenant, _now: number, gone?: readonly string[]) {
      asked.push(["rows", gone]);
      return { grant: 2 };
    },
  };
  await purgeTenant({ ...deps(), outside, accounts, remains }, { tenant_id: "t1" });
  expect(asked).toEqual([
    ["accounts", ["ann", "bob"]],
    ["rows", ["ann"]],
  ]);
  expect(forgotten).toMatchObject([{ after: { removed: { grant: 2, kms_key: 1, account: 1 } } }]);
});

test("a purge removes nothing while usage is still to be billed, and the next run checks again", async () => {
  const outside = [having("waiting"), having({ kms_key: 1 })];
  await purgeTenant({ ...deps(), outside }, { tenant_id: "t1" });
  expect([forgotten, removed]).toEqual([[], []]);
});
