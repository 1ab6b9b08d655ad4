import { describe, expect, test } from "@jest/globals";
import type { RegisteredClient } from "../../../domain/access/registered-client.ts";
import { tokenWorkspace } from "../../../domain/access/token-workspace.ts";
import type { Membership } from "../../../domain/people/user.ts";
import type { Tenant, TenantStatus } from "../../../domain/workspace/tenant.ts";
import { aMembership } from "../../support/people/members.ts";

const console = { client_id: "app", use: "console" } as const;
const connector = (tenant_id?: string): RegisteredClient => ({
  client_id: "app",
  use: "connector",
  ...(tenant_id && { tenant_id }),
});
const member = (tenant_id: string, changes: Partial<Membership> = {}) =>
  aMembership({
    sub: "ann",
    tenant_id,
    status: "active",
    activated_at: `2026-01-0${tenant_id.length}T00:00:00.000Z`,
    ...changes,
  });

type Options = { chosen?: string; statuses?: Record<string, TenantStatus | undefined> };

async function workIn(
  client: RegisteredClient | undefined,
  memberships: Membership[],
  { chosen, statuses = {} }: Options = {},
) {
  const asked: string[][] = [];
  const facts = {
    read: async (_clientId: string, tenantIds: string[]) => {
      asked.push(tenantIds);
      const tenants = tenantIds.map((tenant_id) => ({ tenant_id, status: statuses[tenant_id] ?? "active" }) as Tenant);
      return { client, tenants };
    },
  };
  const record = { profile: undefined, memberships, activeTenants: chosen ? { app: chosen } : {} };
  const { workspace } = await tokenWorkspace(facts, record, "app");
  return { tenant: workspace?.tenant.tenant_id, asked };
}

describe("a token of the platform's own client", () => {
  test("a token of the platform's own client is for the chosen workspace, read with all others in one call", async () => {
    const memberships = [member("a"), member("bb"), member("ccc", { status: "removed" })];
    expect(await workIn(console, memberships, { chosen: "a" })).toEqual({ tenant: "a", asked: [["a", "bb"]] });
  });

  test("a token of the platform's own client is for another workspace if the chosen workspace is deleted, but not if it is suspended", async () => {
    const memberships = [member("a"), member("bb")];
    const deleted = await workIn(console, memberships, { chosen: "bb", statuses: { bb: "deleted" } });
    expect(deleted).toMatchObject({ tenant: "a", asked: [expect.anything()] });
    expect(await workIn(console, memberships, { chosen: "bb", statuses: { bb: "suspended" } })).toMatchObject({
      tenant: "bb",
    });
  });
});

describe("a connector's token", () => {
  test("a connector's token is for its gateway's workspace, whichever workspace the person has chosen", async () => {
    const memberships = [member("a"), member("bb")];
    expect((await workIn(connector("a"), memberships, { chosen: "bb" })).tenant).toBe("a");
  });

  test.each([
    ["of who is no member", []],
    ["of who was removed", [member("a", { status: "removed" })]],
    ["of who is invited and has not come", [aMembership({ sub: "ann", tenant_id: "a" })]],
  ])("a connector's token %s is for no workspace, even if the person has others", async (_who, memberships) => {
    expect((await workIn(connector("a"), [...memberships, member("bb")])).tenant).toBeUndefined();
  });

  test("a connector's token is for no workspace if the workspace is deleted, or if its gateway is unknown", async () => {
    expect((await workIn(connector("a"), [member("a")], { statuses: { a: "deleted" } })).tenant).toBeUndefined();
    expect((await workIn(connector(), [member("a")])).tenant).toBeUndefined();
  });
});

test("a token of an unregistered client is for no workspace", async () => {
  expect((await workIn(undefined, [member("a")], { chosen: "a" })).tenant).toBeUndefined();
});
