import { PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { activeTenantRecord, profileRecord } from "../../../../adapters/dynamodb/people/user.record.ts";
import type { Profile } from "../../../../domain/people/user.ts";
import { auditEntry } from "../../../../domain/workspace/audit.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { aMembership, aMoment, memberCommand } from "../../../support/people/members.ts";

type Stores = Awaited<ReturnType<typeof openStores>>;

let opened: Stores;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

const profile: Profile = {
  sub: "ann",
  email: "Ann@Acme.test",
  approval_status: "pending",
  created_at: aMoment,
  provider: "password",
  email_verified: true,
};

/** An entry of t1, whose trail only the activation that took effect writes to. */
const joined = auditEntry(
  { tenant_id: "t1", actor: "cat", action: "user.join", target: "cat" },
  { id: "e1", now: Date.parse(aMoment) },
);

test("a person's record has profile, memberships and active workspaces", async () => {
  const { users } = opened.stores;
  await users.putProfile(profile);
  await opened.document.send(memberCommand({ sub: "ann", tenant_id: "t1", status: "active" }));
  const active = { ...activeTenantRecord.key({ sub: "ann", client_id: "app" }), client_id: "app", tenant_id: "t1" };
  await opened.document.send(new PutCommand({ TableName: tableName, Item: active }));
  expect(await users.record("ann")).toEqual({
    profile,
    memberships: [aMembership({ sub: "ann", tenant_id: "t1", status: "active" })],
    activeTenants: { app: "t1" },
  });
});

test("an unknown person has an empty record", async () => {
  expect(await opened.stores.users.record("none")).toEqual({ profile: undefined, memberships: [], activeTenants: {} });
  expect(await opened.stores.users.membership("none", "t1")).toBeUndefined();
});

test("writing a profile again updates the e-mail address and its index, and turns pending into approved, but never back", async () => {
  const { users } = opened.stores;
  await users.putProfile({ ...profile, sub: "bob" });
  const later = {
    sub: "bob",
    email: "bob@new.test",
    approval_status: "approved" as const,
    created_at: "later",
    provider: "password",
    email_verified: true,
  };
  await users.putProfile(later);
  await users.putProfile({ ...later, approval_status: "pending" });
  const stored = (await users.record("bob")).profile;
  expect(stored).toEqual({ ...profile, sub: "bob", email: "bob@new.test", approval_status: "approved" });
  const { gsi1_pk } = profileRecord.indexKey({ email: "BOB@new.test" });
  const { Items } = await opened.document.send(
    new QueryCommand({
      TableName: tableName,
      IndexName: "gsi1",
      KeyConditionExpression: "gsi1_pk = :pk",
      ExpressionAttributeValues: { ":pk": gsi1_pk },
    }),
  );
  expect(Items).toMatchObject([{ sub: "bob" }]);
});

test("an invited membership is activated only once", async () => {
  const { users } = opened.stores;
  const invited = aMembership({ sub: "cat", tenant_id: "t1", invited_at: aMoment });
  await opened.document.send(memberCommand(invited));
  const first = { ...invited, status: "active" as const, activated_at: "2026-11-22T00:00:00.000Z" };
  expect(await users.activate(first, joined)).toEqual(first);
  expect(
    await users.activate({ ...first, activated_at: "2026-11-23T00:00:00.000Z" }, { ...joined, audit_id: "e2" }),
  ).toEqual(first);
  expect(await users.membership("cat", "t1")).toEqual(first);
  const page = await opened.stores.audit.list("t1", {}, { limit: 9, after: undefined }, opened.clock());
  expect(page.items).toEqual([joined]);
});

test("a membership removed before its activation stays removed", async () => {
  const { users } = opened.stores;
  const invited = aMembership({ sub: "dan", tenant_id: "t1", invited_at: aMoment });
  await opened.document.send(memberCommand({ ...invited, status: "removed" }));
  const answer = await users.activate({ ...invited, status: "active", activated_at: aMoment }, joined);
  expect(answer).toMatchObject({ status: "removed" });
  expect(await users.membership("dan", "t1")).toEqual({ ...invited, status: "removed" });
});
