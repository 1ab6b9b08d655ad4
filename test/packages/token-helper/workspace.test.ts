import { expect, test } from "@jest/globals";
import type { Me } from "../../../packages/sign-in/platform/platform.ts";
import { workspaceOf } from "../../../packages/token-helper/workspace.ts";

const budget = {
  month: "2026-11",
  spent_usd: 0,
  reserved_usd: 0,
  workspace_capped: false,
  resets_at: "",
  models: ["m"],
  regions: ["r"],
  default_region: "r",
};
const membership = {
  tenant_id: "t1",
  status: "active",
  tenant_name: "Acme",
  tenant_slug: "acme",
  tenant_status: "active",
};
const me: Me = { user_id: "ann", tenant_id: "t1", tenant_role: "developer", memberships: [membership], budget };

test("the token helper takes the person's workspace from the token", () => {
  const other = { ...membership, tenant_id: "t2", tenant_slug: "other" };
  expect(workspaceOf({ ...me, memberships: [other, membership] }, "the console")).toEqual({
    slug: "acme",
    name: "Acme",
    role: "developer",
    budget,
  });
});

test.each<[string, Partial<Me>, string]>([
  ["no workspace", { tenant_id: undefined }, "you are in no workspace"],
  [
    "no workspace, and another account with the address",
    { tenant_id: undefined, other_accounts: [{ provider: "Google" }] },
    "Your address has another account, too: archway login again, and choose Google there",
  ],
  [
    "no workspace, and invitations",
    { tenant_id: undefined, memberships: [{ ...membership, status: undefined, invited_by: "olga@good.example" }] },
    "you are in no workspace: you are invited to Acme (acme), by olga@good.example: accept or decline in the console, https://c.example",
  ],
  [
    "one that is suspended",
    { memberships: [{ ...membership, tenant_status: "suspended" }] },
    "the workspace Acme is suspended: its owner finds the reason in the console, https://c.example",
  ],
  [
    "one of their own that is suspended",
    { tenant_role: "owner", memberships: [{ ...membership, tenant_status: "suspended" }] },
    "the workspace Acme is suspended: the console, https://c.example, tells you why",
  ],
  ["no grant", { budget: undefined }, "you have no grant in the workspace Acme"],
])("who has %s is told whom to ask", (_what, change, says) => {
  expect(() => workspaceOf({ ...me, ...change }, "the console, https://c.example")).toThrow(says);
});
