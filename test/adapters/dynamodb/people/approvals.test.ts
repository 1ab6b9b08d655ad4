import { GetCommand, PutCommand, QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { grantRecord } from "../../../../adapters/dynamodb/access/grant.record.ts";
import { profileRecord } from "../../../../adapters/dynamodb/people/user.record.ts";
import { auditRecord } from "../../../../adapters/dynamodb/workspace/audit.record.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { anEntry } from "../../../support/people/api-keys.ts";
import { aMoment } from "../../../support/people/members.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

const waiting = (sub: string) => ({ gsi2_pk: profileRecord.activeIndexRange({}).pk, gsi2_sk: sub });
const aProfile = (sub: string, approval_status: string) => ({
  ...{ ...profileRecord.key({ sub }), ...profileRecord.indexKey({ email: `${sub}@acme.test` }) },
  ...{ sub, email: `${sub}@acme.test`, approval_status, created_at: aMoment },
  provider: "password",
  email_verified: true,
});
const put = (Item: object) => opened.document.send(new PutCommand({ TableName: tableName, Item }));
const signedUp = (sub: string) => put({ ...aProfile(sub, "pending"), ...waiting(sub) });
const entry = (sub: string) => anEntry({ tenant_id: "platform", action: "user.approve", target: sub });

async function pending(limit = 50): Promise<string[]> {
  const found: string[] = [];
  let after: string | undefined;
  do {
    const page = await opened.stores.approvals.pending({ limit, after });
    expect(page.items.length).toBeLessThanOrEqual(limit);
    found.push(...page.items.map(({ sub }) => sub));
    after = page.next;
  } while (after !== undefined);
  return found;
}

async function entriesOf(sub: string): Promise<number> {
  const { Items = [] } = await opened.document.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": auditRecord.range({ trail: "platform", at: "2026-11" }).pk },
    }),
  );
  return Items.filter(({ target }) => target === sub).length;
}

test("a person without an invitation is listed as waiting, page by page, until approved", async () => {
  for (const sub of ["ann", "bob", "eve"]) await signedUp(sub);
  expect(await pending(2)).toEqual(["eve", "bob", "ann"]);
  const { items } = await opened.stores.approvals.pending({ limit: 1, after: undefined });
  expect(items).toEqual([
    {
      sub: "eve",
      email: "eve@acme.test",
      approval_status: "pending",
      provider: "password",
      email_verified: true,
      created_at: aMoment,
    },
  ]);
  await opened.stores.approvals.approve("bob", entry("bob"));
  expect(await pending()).toEqual(["eve", "ann"]);
  const { Item } = await opened.document.send(
    new GetCommand({ TableName: tableName, Key: profileRecord.key({ sub: "bob" }) }),
  );
  expect(Item).toEqual(aProfile("bob", "approved"));
});

test("an approval is written once, with its audit entry; a person who is not pending is unchanged, without an entry", async () => {
  await signedUp("zoe");
  await Promise.all([1, 2, 3].map(() => opened.stores.approvals.approve("zoe", entry("zoe"))));
  await opened.stores.approvals.approve("zoe", entry("zoe"));
  expect(await entriesOf("zoe")).toBe(1);
  await opened.stores.approvals.approve("nobody", entry("nobody"));
  expect(await entriesOf("nobody")).toBe(0);
});

test("a record that wrongly appears among the waiting people is skipped, and does not end the list", async () => {
  await put({ ...aProfile("approved", "approved"), ...waiting("approved") });
  await put({
    ...grantRecord.key({ tenant_id: "t1", dev_sub: "intruder" }),
    ...waiting("intruder"),
    sub: "intruder",
    approval_status: "pending",
  });
  await signedUp("last");
  expect(await pending(1)).toEqual(["last", "eve", "ann"]);
});
