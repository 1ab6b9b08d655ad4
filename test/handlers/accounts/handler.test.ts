import { expect, test } from "@jest/globals";
import type { AccountsDependencies } from "../../../handlers/accounts/handler.ts";
import { accountsHandler } from "../../../handlers/accounts/handler.ts";

const log = { info: () => {}, problem: () => {} };
const handlerOf = (accounts: Partial<AccountsDependencies["accounts"]>, status = "deleted") =>
  accountsHandler({
    accounts,
    log,
    tenants: { get: async (tenant_id: string) => ({ tenant_id, status }) },
    users: { record: async () => ({ memberships: [{ tenant_id: "t1", status: "active", tenant_role: "owner" }] }) },
    ownedTenants: { of: async () => ["t1"] },
    platformAdmins: [],
  } as unknown as AccountsDependencies);

test("the function of the accounts invites a person, and again on request", async () => {
  const ask = handlerOf({
    invite: async (email, { workspace }) => ({ sub: `sub of ${email} for ${workspace.slug}`, state: "created" }),
    resend: async () => true,
  });
  const input = { email: "ann@example.com", workspace: { name: "Acme", slug: "acme" } };
  expect(await ask({ action: "invite", input })).toEqual({
    result: { sub: "sub of ann@example.com for acme", state: "created" },
  });
  expect(await ask({ action: "resend_invitation", input })).toEqual({ result: { sent: true } });
});

test("the function of the accounts lists accounts by pages, and also those with an unused invitation", async () => {
  const ask = handlerOf({
    list: async (after) => ({ subs: [`after ${after}`], next: "more" }),
    listInvited: async () => ({ accounts: [{ sub: "ann", changedAt: 5 }], next: undefined }),
    removeInvited: async () => true,
    listUnconfirmed: async () => ({ accounts: [{ sub: "ben", createdAt: 6 }], next: undefined }),
    removeUnconfirmed: async () => false,
  });
  expect(await ask({ action: "list", input: { after: "x" } })).toEqual({ result: { subs: ["after x"], next: "more" } });
  expect(await ask({ action: "list_invited", input: {} })).toEqual({
    result: { accounts: [{ sub: "ann", changed_at: 5 }], next: undefined },
  });
  expect(await ask({ action: "remove_invited", input: { sub: "ann" } })).toEqual({ result: { removed: true } });
  expect(await ask({ action: "list_unconfirmed", input: {} })).toEqual({
    result: { accounts: [{ sub: "ben", created_at: 6 }], next: undefined },
  });
  expect(await ask({ action: "remove_unconfirmed", input: { sub: "ben" } })).toEqual({ result: { removed: false } });
});

test("the function of the accounts ends all sign-ins of an account", async () => {
  const ended: string[] = [];
  const ask = handlerOf({ endSignIns: async (sub) => void ended.push(sub) });
  expect(await ask({ action: "end_sign_ins", input: { sub: "ann" } })).toEqual({ result: {} });
  expect(ended).toEqual(["ann"]);
});

test("the function of the accounts removes accounts only for a deleted tenant", async () => {
  const request = { action: "remove_members", input: { tenant_id: "t1", subs: ["ann"] } };
  const remove = async () => true;
  expect(await handlerOf({ remove })(request)).toEqual({ result: { gone: ["ann"], removed: 1 } });
  expect(await handlerOf({ remove }, "active")(request)).toMatchObject({ refusal: { code: "workspace_not_deleted" } });
});
