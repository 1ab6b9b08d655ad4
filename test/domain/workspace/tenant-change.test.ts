import { describe, expect, test } from "@jest/globals";
import type { AuditEntry } from "../../../domain/workspace/audit.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import {
  changeTenant,
  patchedTenant,
  resumed,
  softDeleted,
  suspended,
} from "../../../domain/workspace/tenant-change.ts";

const tenant = {
  tenant_id: "t1",
  name: "Acme",
  slug: "acme",
  owner_sub: "ann",
  tier: "starter",
  status: "active",
  default_region: "eu-central-1",
} as Tenant;
const now = Date.parse("2026-11-21T05:00:00.000Z");

describe("a patch", () => {
  test("a patch of a tenant changes only the named fields, and a new name also changes the address", () => {
    expect(patchedTenant(tenant, { name: "Acme Größe" })).toEqual({
      ...tenant,
      name: "Acme Größe",
      slug: "acme-grosse",
    });
    expect(patchedTenant(tenant, { tier: "pro" })).toEqual({ ...tenant, tier: "pro" });
  });

  test("a patch of a tenant sets, keeps and removes the cap", () => {
    const capped = patchedTenant(tenant, { monthly_cap_usd: 5 });
    expect(capped.monthly_cap_usd).toBe(5);
    expect(patchedTenant(capped, { tier: "pro" }).monthly_cap_usd).toBe(5);
    expect(patchedTenant(capped, { monthly_cap_usd: null })).toEqual(tenant);
    expect(patchedTenant(tenant, { monthly_cap_usd: 0 }).monthly_cap_usd).toBe(0);
  });

  test("a patch of a tenant sets, keeps and removes the origins of web pages", () => {
    const browser_origins = ["https://app.example.com"];
    const opened = patchedTenant(tenant, { browser_origins });
    expect(opened).toEqual({ ...tenant, browser_origins });
    expect(patchedTenant(opened, { tier: "pro" }).browser_origins).toEqual(browser_origins);
    expect(patchedTenant(opened, { browser_origins: [] })).toEqual(tenant);
  });

  test("a patch does not change a deleted tenant", () => {
    expect(() => patchedTenant(softDeleted(tenant, now), { tier: "pro" })).toThrow("deleted");
  });
});

test("a suspension has a reason and a time, keeps its first time, and leaves nothing behind when it ends", () => {
  const stopped = suspended(tenant, "Unpaid", now);
  expect(stopped).toMatchObject({ status: "suspended", suspended_reason: "Unpaid", suspended_at: expect.any(String) });
  expect(suspended(stopped, "Abuse", now + 1)).toEqual({ ...stopped, suspended_reason: "Abuse" });
  expect(resumed(stopped)).toEqual(tenant);
});

test("a deleted tenant stays deleted after a suspension and its end", () => {
  const deleted = softDeleted(tenant, now);
  expect(deleted).toMatchObject({ status: "deleted", deleted_at: "2026-11-21T05:00:00.000Z" });
  expect(softDeleted(deleted, now + 1)).toEqual(deleted);
  expect(() => suspended(deleted, "Unpaid", now)).toThrow("deleted");
  expect(() => resumed(deleted)).toThrow("deleted");
});

describe("changeTenant", () => {
  const asked = { actor: "ann", action: "tenant.update" } as const;
  const toPro = (from: Tenant) => patchedTenant(from, { tier: "pro" });

  /** A store in which others are quicker so many times. */
  function aStore(outcome: "written" | "taken" = "written", quicker = 0) {
    const entries: AuditEntry[] = [];
    let current = tenant;
    return {
      entries,
      tenants: { get: async () => current },
      tenantChanges: {
        write: async (_before: Tenant, _after: Tenant, entry: AuditEntry) => {
          if (quicker-- > 0) {
            current = { ...current, name: `Acme ${quicker}`, version: (current.version ?? 0) + 1 };
            return "stale" as const;
          }
          entries.push(entry);
          return outcome;
        },
      },
      clock: () => now,
      newId: () => "e1",
    };
  }

  test("a change of a tenant writes the new state with an audit entry: who, what, when, before and after", async () => {
    const store = aStore();
    expect(await changeTenant(store, tenant, { ...asked, change: toPro })).toEqual({
      ...tenant,
      tier: "pro",
      version: 1,
    });
    const change = { before: { tier: "starter" }, after: { tier: "pro" } };
    const at = "2026-11-21T05:00:00.000Z";
    expect(store.entries).toEqual([{ audit_id: "e1", at, tenant_id: "t1", target: "t1", ...asked, ...change }]);
  });

  test("a change of a tenant that changes nothing writes nothing", async () => {
    const store = aStore();
    expect(await changeTenant(store, tenant, { ...asked, change: (same) => ({ ...same }) })).toEqual(tenant);
    expect(store.entries).toEqual([]);
  });

  test("a change of a tenant that conflicts with another is repeated on the other's result", async () => {
    const changed = await changeTenant(aStore("written", 2), tenant, { ...asked, change: toPro });
    expect(changed).toMatchObject({ name: "Acme 0", tier: "pro", version: 3 });
  });

  test("a change of a tenant gives up if other changes are always faster", async () => {
    const refused = changeTenant(aStore("written", 100), tenant, { ...asked, change: toPro });
    await expect(refused).rejects.toMatchObject({ code: "changed_meanwhile" });
  });

  test("a change of a tenant at an old version is refused, even if that is found only when it is written", async () => {
    const late = changeTenant(aStore(), tenant, { ...asked, expected: ["7"], change: toPro });
    await expect(late).rejects.toMatchObject({ code: "precondition_failed" });
    const quick = changeTenant(aStore("written", 1), tenant, { ...asked, expected: ["0"], change: toPro });
    await expect(quick).rejects.toMatchObject({ code: "precondition_failed" });
  });

  test("a change of a tenant to a taken address is refused with the field's name", async () => {
    const rename = (from: Tenant) => patchedTenant(from, { name: "Taken" });
    const refused = changeTenant(aStore("taken"), tenant, { ...asked, change: rename });
    await expect(refused).rejects.toMatchObject({
      code: "slug_taken",
      fields: [{ path: "name" }],
      message: expect.stringMatching(/^name: .*"taken"/),
    });
  });
});
