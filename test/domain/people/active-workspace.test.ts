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

test("without a choice the active workspace is the latest one", async () => {
  expect(await chosenOf([old, recent])).toBe("recent");
  expect(await chosenOf([recent, old])).toBe("recent");
});

test("the choice of the app client comes first", async () => {
  expect(await chosenOf([old, recent], { chosen: "old" })).toBe("old");
});

test("an invitation moves no one away: not from their own workspace, nor from the one that invited them before", async () => {
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
    "of workspaces joined in one moment the first that invited is active, otherwise none",
    async (...rows) => {
      const swapped = rows.map((row) => (row === other ? earlier : row));
      expect([await chosenOf(swapped), await chosenOf(rows)]).toEqual(["b", undefined]);
      expect(await chosenOf(rows, { chosen: "b" })).toBe("b");
      expect(await chosenOf(rows, { deleted: ["a"] })).toBe("b");
      expect(await chosenOf(rows, { suspended: ["b"] })).toBe("a");
      expect(await chosenOf(rows, { suspended: ["a", "b"] })).toBeUndefined();
    },
  );

  test.each(orders)("of two own workspaces created in one moment none is active", async (...rows) => {
    expect(await chosenOf(rows.map(({ invited_at: _at, ...row }) => row))).toBeUndefined();
  });
});

test("a choice that is no longer a membership is passed over", async () => {
  expect(await chosenOf([{ ...old, status: "removed" }, recent], { chosen: "old" })).toBe("recent");
  expect(await chosenOf([recent], { chosen: "gone" })).toBe("recent");
});

test("a deleted tenant is passed over", async () => {
  expect(await chosenOf([old, recent], { deleted: ["recent"] })).toBe("old");
});

test("a suspended tenant gives way to an active one, unless it was chosen or there is no other", async () => {
  expect(await chosenOf([old, recent], { suspended: ["recent"] })).toBe("old");
  expect(await chosenOf([old, recent], { suspended: ["recent"], chosen: "recent" })).toBe("recent");
  expect(await chosenOf([old, recent], { suspended: ["recent", "old"] })).toBe("recent");
});

test("an invitation or a removed membership is no workspace", async () => {
  const { status: _status, ...invited } = recent;
  expect(await chosenOf([invited, { ...old, status: "removed" }])).toBeUndefined();
});
