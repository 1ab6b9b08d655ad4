import { describe, expect, test } from "@jest/globals";
import { activeWorkspace } from "../../../domain/people/active-workspace.ts";
import type { Membership } from "../../../domain/people/user.ts";
import type { Tenant } from "../../../domain/workspace/tenant.ts";
import { aMembership } from "../../support/people/members.ts";

type Options = { chosen?: string; deleted?: string[]; suspended?: string[] };

async function chosenOf(memberships: Membership[], { chosen, deleted = [], suspended = [] }: Options = {}) {
  const record = { profile: undefined, memberships, activeTenants: chosen ? { app: chosen } : {} };
  const statusOf = (id: string) =>
    (deleted.includes(id) && "deleted") || (suspended.includes(id) && "suspended") || "active";
  const tenants = { get: async (tenant_id: string) => ({ tenant_id, status: statusOf(tenant_id) }) as Tenant };
  return (await activeWorkspace(record, "app", tenants))?.tenant.tenant_id;
}

const joined = (tenant_id: string, activated_at: string, changes: Partial<Membership> = {}) =>
  aMembership({ sub: "ann", tenant_id, status: "active", activated_at, ...changes });

const old = joined("old", "2026-01-01T00:00:00.000Z");
const recent = joined("recent", "2026-06-01T00:00:00.000Z");

test("without a choice the active workspace is the one that the person joined last", async () => {
  expect(await chosenOf([old, recent])).toBe("recent");
  expect(await chosenOf([recent, old])).toBe("recent");
});

test("the workspace chosen for the app client is the active one", async () => {
  expect(await chosenOf([old, recent], { chosen: "old" })).toBe("old");
});

test("an invitation does not change the active workspace: neither the person's own, nor that of an earlier invitation", async () => {
  const first = joined("first", "2026-07-01T00:00:00.000Z", { invited_at: "2026-07-01T00:00:00.000Z" });
  const second = joined("second", "2026-08-01T00:00:00.000Z", { invited_at: "2026-08-01T00:00:00.000Z" });
  expect(await chosenOf([second, old, first, recent])).toBe("recent");
  expect(await chosenOf([second, first])).toBe("first");
  expect(await chosenOf([second, first], { chosen: "second" })).toBe("second");
  expect(await chosenOf([{ ...first, status: "removed" }, second])).toBe("second");
});

describe("what no time decides is not guessed", () => {
  const times = { invited_at: "2026-07-01T00:00:00.000Z" };
  const one = joined("a", "2026-07-02T00:00:00.000Z", times);
  const other = joined("b", "2026-07-02T00:00:00.000Z", times);
  const earlier = { ...other, invited_at: "2026-06-30T00:00:00.000Z" };
  const orders = [
    [one, other],
    [other, one],
  ];

  test.each(orders)(
    "of two workspaces joined at the same moment the one that invited first is active; without a difference none is",
    async (...rows) => {
      const swapped = rows.map((row) => (row === other ? earlier : row));
      expect([await chosenOf(swapped), await chosenOf(rows)]).toEqual(["b", undefined]);
      expect(await chosenOf(rows, { chosen: "b" })).toBe("b");
      expect(await chosenOf(rows, { deleted: ["a"] })).toBe("b");
      expect(await chosenOf(rows, { suspended: ["b"] })).toBe("a");
      expect(await chosenOf(rows, { suspended: ["a", "b"] })).toBeUndefined();
    },
  );

  test.each(orders)("of two own workspaces created at the same moment none is active", async (...rows) => {
    expect(await chosenOf(rows.map(({ invited_at: _at, ...row }) => row))).toBeUndefined();
  });
});

test("a chosen workspace of which the person is no longer a member is not active", async () => {
  expect(await chosenOf([{ ...old, status: "removed" }, recent], { chosen: "old" })).toBe("recent");
  expect(await chosenOf([recent], { chosen: "gone" })).toBe("recent");
});

test("a deleted workspace is not active", async () => {
  expect(await chosenOf([old, recent], { deleted: ["recent"] })).toBe("old");
});

test("a suspended workspace is active only if it was chosen, or if there is no other", async () => {
  expect(await chosenOf([old, recent], { suspended: ["recent"] })).toBe("old");
  expect(await chosenOf([old, recent], { suspended: ["recent"], chosen: "recent" })).toBe("recent");
  expect(await chosenOf([old, recent], { suspended: ["recent", "old"] })).toBe("recent");
});

test("a workspace that the person has not joined, or was removed from, is not active", async () => {
  const { status: _status, ...invited } = recent;
  expect(await chosenOf([invited, { ...old, status: "removed" }])).toBeUndefined();
});
