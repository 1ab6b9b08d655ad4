import { GetCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { activeKeysRecord } from "../../../../adapters/dynamodb/keys/active-keys.record.ts";
import { serviceAccountsRecord } from "../../../../adapters/dynamodb/keys/service-accounts.record.ts";
import { auditRecord } from "../../../../adapters/dynamodb/workspace/audit.record.ts";
import type { ApiKey } from "../../../../domain/access/api-key.ts";
import { patchedKey } from "../../../../domain/keys/key-change.ts";
import { rotation } from "../../../../domain/keys/key-rotation.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { aKey, anEntry } from "../../../support/people/api-keys.ts";
import { memberCommand } from "../../../support/people/members.ts";

type Stores = Awaited<ReturnType<typeof openStores>>;

let opened: Stores;
let tenant_id: string;
let tenants = 0;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());
beforeEach(async () => {
  tenant_id = `t${tenants++}`;
  await opened.document.send(memberCommand({ sub: "ann", tenant_id, status: "active" }));
});

const now = Date.parse("2026-11-21T05:00:00.000Z");
const hour = 3_600_000;
const grant: ApiKey["grant"] = {
  allowed_models: ["*"],
  allowed_regions: ["eu-central-1"],
  monthly_budget_usd: 1,
  budget_enforcement: "reserved",
  allow_global_profiles: false,
};

const id = (name: string) => `${tenant_id}-${name}`;
const entry = (changes = {}) => anEntry({ tenant_id, ...changes });
const read = async (name: string) => (await opened.stores.apiKeys.get(id(name))) as ApiKey;

async function create(name: string, changes: Partial<ApiKey> = {}, max = 100): Promise<string> {
  return opened.stores.apiKeys.create(aKey(id(name), { tenant_id, ...changes }), max, entry());
}
const service = (name: string, caller_id = "sa_1", max = 100) =>
  create(name, { role: "service_account", caller_id, grant }, max);

async function rotate(old: ApiKey, name: string, overlap_seconds = 3600, at = now): Promise<string> {
  const made = { key_id: id(name), hash: `hash of ${name}`, last4: "wxyz", created_by: "ann" };
  return opened.stores.apiKeys.rotate(rotation(old, made, { overlap_seconds }, at), at, entry());
}
const revoke = (name: string, at = now) => opened.stores.apiKeys.revoke(tenant_id, id(name), undefined, at, entry());

async function audited(): Promise<number> {
  const { Count = 0 } = await opened.document.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": auditRecord.range({ trail: tenant_id, at: "2026-11" }).pk },
    }),
  );
  return Count;
}

async function rowOf(key: { pk: string; sk: string }): Promise<Record<string, unknown> | undefined> {
  return (await opened.document.send(new GetCommand({ TableName: tableName, Key: key }))).Item;
}

describe("a change", () => {
  test("a change of a key writes name and expiry, can remove the expiry, and is written with its audit entry", async () => {
    await create("a");
    const expires_at = "2026-12-01T00:00:00.000Z";
    const first = await read("a");
    const named = patchedKey(first, { name: "New", expires_at });
    expect(await opened.stores.apiKeys.update(first, named, entry())).toBe("updated");
    expect(await read("a")).toEqual({ ...first, name: "New", expires_at, version: 2 });
    const endless = patchedKey(named, { expires_at: null });
    expect(await opened.stores.apiKeys.update(named, endless, entry())).toBe("updated");
    expect(await read("a")).toEqual({ ...first, name: "New", version: 3 });
    expect(await audited()).toBe(3);
  });

  test("a change of a key is refused and writes nothing if the key was changed or revoked since it was read", async () => {
    await create("a");
    const first = await read("a");
    const two = ["One", "Two"].map((name) => opened.stores.apiKeys.update(first, patchedKey(first, { name }), entry()));
    expect((await Promise.all(two)).toSorted()).toEqual(["changed", "updated"]);
    const second = await read("a");
    await revoke("a");
    expect(await opened.stores.apiKeys.update(second, patchedKey(second, { name: "Late" }), entry())).toBe("changed");
    expect(await read("a")).toMatchObject({ status: "revoked", name: second.name });
    expect(await audited()).toBe(3);
  });

  test("a change of limits reaches all keys of the service account, also those of a simultaneous rotation", async () => {
    await service("a");
    const first = await read("a");
    const less = { ...grant, monthly_budget_usd: 0.5 } as NonNullable<ApiKey["grant"]>;
    expect(await rotate(first, "b")).toBe("rotated");
    const b = await read("b");
    const [changed, rotated] = await Promise.all([
      opened.stores.apiKeys.update(b, patchedKey(b, { grant: less }), entry()),
      rotate(await read("a"), "c"),
    ]);
    const found = (await Promise.all(["a", "b", "c"].map(read))).filter((key) => key !== undefined);
    expect(new Set(found.map((key) => key.grant?.monthly_budget_usd))).toEqual(
      new Set([changed === "updated" ? 0.5 : 1]),
    );
    expect([changed, rotated]).toContain(changed === "updated" ? "updated" : "rotated");
  });
});

describe("a rotation", () => {
  test("rotating a key creates a key of the same caller, and lets the old key expire, not later than before", async () => {
    await service("a");
    await create("b", { expires_at: new Date(now + 60_000).toISOString() });
    const [a, b] = [await read("a"), await read("b")];
    expect([await rotate(a, "a2"), await rotate(b, "b2")]).toEqual(["rotated", "rotated"]);
    expect(await read("a")).toEqual({
      ...a,
      expires_at: new Date(now + hour).toISOString(),
      replaced_by: id("a2"),
      version: 2,
    });
    expect(await read("a2")).toEqual({ ...a, key_id: id("a2"), hash: "hash of a2", last4: "wxyz" });
    expect(await read("b")).toMatchObject({ expires_at: b.expires_at });
    expect(await read("b2")).toMatchObject({ expires_at: b.expires_at });
  });

  test("rotating a key is reported as done if the answer was lost; of several simultaneous rotations one succeeds", async () => {
    await service("a");
    const a = await read("a");
    expect([await rotate(a, "b"), await rotate(a, "b")]).toEqual(["rotated", "rotated"]);
    const b = await read("b");
    const many = await Promise.all(["c", "d", "e"].map((name) => rotate(b, name)));
    expect(many.toSorted()).toEqual(["changed", "changed", "rotated"]);
    expect(await audited()).toBe(3);
  });

  test("rotating a key takes one of the caller's 50 places as long as the old key is valid", async () => {
    for (let number = 0; number < 50; number++) await create(`k${number}`);
    expect(await rotate(await read("k0"), "x")).toBe("full");
    expect(await rotate(await read("k0"), "x", 0)).toBe("rotated");
    expect(await create("more")).toBe("full");
    expect(await rotate(await read("k1"), "y", 3600)).toBe("full");
    await revoke("k2");
    expect(await rotate(await read("k1"), "y", 3600)).toBe("rotated");
    expect(await rotate(await read("k3"), "z", 3600, now + hour)).toBe("rotated");
  });

  test("rotating the key of a removed person is refused", async () => {
    await create("a");
    await opened.document.send(memberCommand({ sub: "ann", tenant_id, status: "removed" }));
    expect(await rotate(await read("a"), "b")).toBe("no_member");
    expect(await read("b")).toBeUndefined();
  });
});

test("a service account's monthly budget is stored with its active keys, from its creation and with each change of its limits", async () => {
  const budget = async (callerId: string) => {
    const Key = activeKeysRecord.key({ tenant_id, caller_id: callerId });
    return (await opened.document.send(new GetCommand({ TableName: tableName, Key }))).Item?.monthly_budget_usd;
  };
  await service("a");
  await create("own");
  expect([await budget("sa_1"), await budget("ann")]).toEqual([1, undefined]);
  const before = await read("a");
  await opened.stores.apiKeys.update(
    before,
    patchedKey(before, { grant: { ...grant, monthly_budget_usd: 7 } }),
    entry(),
  );
  expect(await budget("sa_1")).toBe(7);
  await rotate(await read("a"), "b");
  await revoke("a");
  expect(await budget("sa_1")).toBe(7);
});

describe("a service account's place", () => {
  test("a service account's place is kept until its last key is revoked", async () => {
    expect([await service("a", "sa_1", 1), await service("b", "sa_2", 1)]).toEqual(["created", "full"]);
    await rotate(await read("a"), "a2");
    await revoke("a2");
    expect(await service("b", "sa_2", 1)).toBe("full");
    await revoke("a");
    expect(await service("b", "sa_2", 1)).toBe("created");
    await revoke("a");
    expect(await service("c", "sa_3", 1)).toBe("full");
  });

  test("a service account's place becomes free when its last key has expired, also if two keys are revoked at once", async () => {
    await service("a", "sa_1", 1);
    await rotate(await read("a"), "a2");
    await revoke("a2", now + 2 * hour);
    expect(await service("b", "sa_2", 1)).toBe("created");
    expect(await revoke("a", now + 2 * hour)).toBe(true);
    expect(await service("c", "sa_3", 1)).toBe("full");
    await rotate(await read("b"), "b2");
    expect(await Promise.all(["b", "b2", "b"].map((name) => revoke(name)))).toEqual([true, true, true]);
    expect(await service("c", "sa_3", 1)).toBe("created");
    expect(await rowOf(serviceAccountsRecord.key({ tenant_id }))).toMatchObject({ accounts: 1 });
  });
});

describe("a revocation of one version", () => {
  test("revoking a key is refused if it has another version, which is named; without a version it is accepted", async () => {
    await create("a");
    const revokeAt = (...versions: string[]) =>
      opened.stores.apiKeys.revoke(tenant_id, id("a"), undefined, now, entry(), versions);
    const a = await read("a");
    await opened.stores.apiKeys.update(a, patchedKey(a, { name: "New" }), entry());
    expect(await revokeAt("1", "7")).toEqual({ version: "2" });
    expect(await read("a")).toMatchObject({ status: "active" });
    const two = await Promise.all([revokeAt("2"), revokeAt("2")]);
    expect(two).toContain(true);
    expect(await read("a")).toMatchObject({ status: "revoked", version: 3 });
    expect(await revoke("a")).toBe(true);
    expect(await audited()).toBe(3);
  });
});
