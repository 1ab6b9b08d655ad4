import { expect, test } from "@jest/globals";
import { auditEntry, auditEntrySchema, monthOfEntry } from "../../../domain/workspace/audit.ts";

const at = { id: "e1", now: Date.parse("2026-11-30T23:59:59.999Z") };
const change = { tenant_id: "t1", actor: "ann", action: "tenant.update", target: "t1" } as const;

test("an audit entry says who changed what and when, and contains only changed fields", () => {
  const before = { name: "Acme", default_region: "eu-central-1", version: 1 };
  const after = { name: "Acme Two", default_region: "eu-central-1", version: 2, monthly_cap_usd: 5 };
  const entry = auditEntry({ ...change, before, after }, at);
  expect(entry).toEqual({
    audit_id: "e1",
    tenant_id: "t1",
    at: "2026-11-30T23:59:59.999Z",
    actor: "ann",
    action: "tenant.update",
    target: "t1",
    before: { name: "Acme" },
    after: { name: "Acme Two", monthly_cap_usd: 5 },
  });
  expect(auditEntrySchema.parse(entry)).toEqual(entry);
  expect(monthOfEntry(entry)).toBe("2026-11");
});

test("the audit entry of a creation has no state before it, and that of a removal none after it", () => {
  expect(auditEntry({ ...change, after: { name: "Acme" } }, at)).not.toHaveProperty("before");
  expect(auditEntry({ ...change, before: { name: "Acme" } }, at)).not.toHaveProperty("after");
});

test("no audit entry contains a secret field", () => {
  const key = { key_id: "k1", hash: "$2b$04$...", key: "ar_live_...", last4: "wxyz" };
  const entry = auditEntry({ ...change, action: "key.create", after: key }, at);
  expect(entry.after).toEqual({ key_id: "k1", last4: "wxyz" });
});

test("an audit entry contains no secret at any depth, not even a changed one", () => {
  const state = (secret: string) => ({
    gateway: { name: "main", client_secret: secret, clients: [{ id: "c1", password: secret }, secret.length] },
    upload: { refresh_token: secret },
  });
  const made = auditEntry({ ...change, after: state("sesame") }, at);
  expect(made.after).toEqual({ gateway: { name: "main", clients: [{ id: "c1" }, 6] }, upload: {} });
  const changed = auditEntry({ ...change, before: state("sesame"), after: state("simsim") }, at);
  expect(changed).toMatchObject({ before: {}, after: {} });
  expect(JSON.stringify([made, changed])).not.toMatch(/sesame|simsim/);
});

test("numbers of tokens and ids of keys are not secrets, and the order of fields is not a change", () => {
  const after = { granted_tokens: 5, key_id: "k1", setup: { kms_key: "done" } };
  expect(auditEntry({ ...change, after }, at).after).toEqual(after);
  const [before, same] = [{ grant: { a: 1, b: [2] } }, { grant: { b: [2], a: 1 } }];
  expect(auditEntry({ ...change, before, after: same }, at)).toMatchObject({ before: {}, after: {} });
});
