import { describe, expect, test } from "@jest/globals";
import { actorName, changesOf, type Entry, targetName, wordsOf } from "../../../../console/pages/audit/words.ts";

const entry: Entry = {
  audit_id: "1",
  tenant_id: "8d7f4a1e-4b52-4a7c-9a3d-0f4a5f6b7c8d",
  at: "2026-11-21T05:00:00.000Z",
  actor: "b3c4d842-9061-70f1-2a3b-5c6d7e8f9a0b",
  actor_email: "ann@acme.test",
  action: "key.create",
  target: "k1",
};

test("an audit action that the console has no words for is shown unchanged", () => {
  expect(["key.create", "tenant.undo"].map(wordsOf)).toEqual(["Created a key", "tenant.undo"]);
});

describe("who did it", () => {
  const { actor_email: _, ...without } = entry;
  test.each([
    ["a member", entry, "ann@acme.test"],
    ["somebody whose account is gone", without, entry.actor],
    ["the payment provider", { ...without, actor: "stripe" }, "Stripe"],
    ["a function of the platform", { ...without, actor: "reconcile" }, "Archway"],
    ["the platform's people", { ...without, actor_role: "platform_admin" }, "Archway's operators"],
    ["an operation by hand", { ...without, actor: "operator" }, "Archway's operators"],
  ] as [string, Entry, string][])("the audit page names %s", (_who, of, name) => {
    expect(actorName(of, "Archway")).toBe(name);
  });
});

describe("what was changed", () => {
  const names = { caller: (id: string) => `caller ${id}`, key: (id: string) => `key ${id}`, workspace: "Acme" };
  test.each([
    ["a key", { target: "k1" }, "key k1"],
    ["a service account's grant", { action: "grant.put", target: "sa_1" }, "caller sa_1"],
    ["a person with an address", { action: "grant.put", target: "p", target_email: "ben@acme.test" }, "ben@acme.test"],
    ["somebody who was only invited", { action: "user.invite", target: "p" }, "caller p"],
    ["the workspace", { action: "tenant.update", target: entry.tenant_id }, "Acme"],
    ["the gateway", { action: "mcp_gateway.create", target: entry.tenant_id }, "the gateway"],
    ["an integration", { action: "mcp_server.create", target: "s1", after: { name: "pets" } }, "pets"],
    ["a removed integration", { action: "mcp_server.delete", target: "s1", before: { name: "pets" } }, "pets"],
    ["a skill", { action: "skill.upload", target: "weekly-report", after: {} }, "weekly-report"],
  ] as [string, Partial<Entry>, string][])("%s is named on the audit page", (_what, of, name) => {
    expect(targetName({ ...entry, ...of }, names)).toBe(name);
  });
});

test("the audit page lists the fields that changed, with old and new values, without the entry's ids", () => {
  const before = { status: "active", allowed_models: ["*"], name: "same" };
  const after = { key_id: "k1", tenant_id: entry.tenant_id, allowed_models: ["a", "b"], name: "same", budget: 5 };
  expect(changesOf({ ...entry, before, after })).toEqual([
    { field: "status", was: "active", is: "" },
    { field: "allowed_models", was: '["*"]', is: '["a", "b"]' },
    { field: "budget", was: "", is: "5" },
  ]);
});
