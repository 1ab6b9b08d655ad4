import { PutCommand, TransactWriteCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { grantRecord } from "../../../../adapters/dynamodb/access/grant.record.ts";
import { memberStore } from "../../../../adapters/dynamodb/access/members.ts";
import { apiKeyRecord } from "../../../../adapters/dynamodb/keys/api-key.record.ts";
import { membershipRecord } from "../../../../adapters/dynamodb/people/user.record.ts";
import { rowsOf } from "../../../../adapters/dynamodb/rows.ts";
import type { Leaving } from "../../../../domain/access/member.ts";
import { aGrant } from "../../../support/accounting/admissions.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { aKey, anEntry } from "../../../support/people/api-keys.ts";
import { aMoment, memberCommand } from "../../../support/people/members.ts";

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

const now = Date.parse(aMoment);
const put = (Item: object) => opened.document.send(new PutCommand({ TableName: tableName, Item: { ...Item } }));
const putGrant = (updated_at: string) =>
  put({
    ...grantRecord.key({ tenant_id, dev_sub: "ann" }),
    tenant_id,
    dev_sub: "ann",
    ...aGrant({ allowed_models: ["*"] }),
    updated_by: "owner",
    updated_at,
  });
const id = (name: string) => `${tenant_id}-${name}`;
const create = (name: string) =>
  opened.stores.apiKeys.create(aKey(id(name), { tenant_id }), 100, anEntry({ tenant_id }));
const standing = () => opened.stores.users.membership("ann", tenant_id);

function remove(store = opened.stores.members) {
  const left: Leaving[] = [];
  const entryOf = (leaving: Leaving) => {
    left.push(leaving);
    return anEntry({ tenant_id, audit_id: id("entry"), action: "user.remove" });
  };
  return store.remove(tenant_id, "ann", now, entryOf).then((outcome) => ({ outcome, left }));
}

/** A store that meets a change by others before each of its transactions, as long as there are changes left. */
function interrupted(changes: (() => Promise<unknown>)[]) {
  const client = {
    send: async (command: never) => {
      const change = (command as object) instanceof TransactWriteCommand ? changes.shift() : undefined;
      await change?.();
      return opened.document.send(command);
    },
  } as unknown as typeof opened.document;
  return memberStore(rowsOf(client, tableName));
}

describe("removing", () => {
  test("removing a person returns the person's grant and keys, and revokes up to 50 keys", async () => {
    await putGrant(aMoment);
    for (let number = 0; number < 50; number++) await create(`k${number}`);
    const { outcome, left } = await remove();
    expect(outcome).toBe("removed");
    expect(left.at(-1)).toMatchObject({ membership: { status: "active" }, grant: { allowed_models: ["*"] } });
    expect(left.at(-1)?.keyIds).toHaveLength(50);
    const { items } = await opened.stores.apiKeys.list(
      tenant_id,
      { callerId: "ann", now: 0 },
      { limit: 100, after: undefined },
    );
    expect(new Set(items.map(({ status }) => status))).toEqual(new Set(["revoked"]));
    expect(await standing()).toMatchObject({ status: "removed", removed_at: aMoment });
  });

  test.each([
    ["a key is created", () => create("late")],
    ["a grant is given", () => putGrant("2026-11-21T05:00:01.000Z")],
    ["a grant is given, then another", () => putGrant(`2026-11-21T05:00:0${2}.000Z`)],
    ["the person is activated", () => opened.document.send(memberCommand({ sub: "ann", tenant_id, status: "active" }))],
  ])("removing a person takes effect on the current state if %s in between", async (_what, change) => {
    await opened.document.send(memberCommand({ sub: "ann", tenant_id, invited_at: aMoment }));
    const activate = () => opened.document.send(memberCommand({ sub: "ann", tenant_id, status: "active" }));
    const { outcome } = await remove(interrupted([activate, change, change]));
    expect(outcome).toBe("removed");
    expect(await standing()).toMatchObject({ status: "removed" });
    expect(await opened.stores.grants.get(tenant_id, "ann")).toBeUndefined();
    const { items } = await opened.stores.apiKeys.list(
      tenant_id,
      { callerId: "ann", now: 0 },
      { limit: 100, after: undefined },
    );
    expect(items.filter(({ status }) => status === "active")).toEqual([]);
    expect(await create("after")).toBe("no_member");
  });

  test("removing a person leaves none of the person's keys active, even those created meanwhile", async () => {
    await create("early");
    const names = ["c", "d", "e", "f"];
    const [{ outcome }, ...created] = await Promise.all([remove(), ...names.map(create)]);
    expect(outcome).toBe("removed");
    for (const result of created) expect(["created", "no_member"]).toContain(result);
    const { items } = await opened.stores.apiKeys.list(
      tenant_id,
      { callerId: "ann", now: 0 },
      { limit: 100, after: undefined },
    );
    expect(items.filter(({ status }) => status === "active")).toEqual([]);
  });

  test("removing a person writes nothing if another request has already removed the person", async () => {
    const { outcome, left } = await remove(interrupted([() => remove()]));
    expect([outcome, left.length]).toEqual(["removed", 1]);
  });

  test("removing the owner is refused, and an unknown person is not found", async () => {
    await opened.document.send(memberCommand({ sub: "ann", tenant_id, tenant_role: "owner", status: "active" }));
    expect((await remove()).outcome).toBe("owner");
    await opened.document.send(memberCommand({ sub: "ann", tenant_id, status: "active" }));
    const promoted = () =>
      opened.document.send(memberCommand({ sub: "ann", tenant_id, tenant_role: "owner", status: "active" }));
    expect((await remove(interrupted([promoted]))).outcome).toBe("owner");
    expect(await standing()).toMatchObject({ status: "active" });
    tenant_id = "nowhere";
    expect((await remove()).outcome).toBe("missing");
  });
});

test("a row that only claims to be a member of the tenant is not listed", async () => {
  await put({
    ...apiKeyRecord.key({ key_id: "mallory" }),
    ...membershipRecord.indexKey({ tenant_id, created_at: "", sub: "mallory" }),
    sub: "mallory",
    tenant_id,
  });
  const { items } = await opened.stores.members.list(tenant_id, undefined, { limit: 10, after: undefined });
  expect(items.map(({ membership }) => membership.sub)).toEqual(["ann"]);
});
