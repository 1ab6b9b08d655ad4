import { QueryCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { keys } from "../../../adapters/dynamodb/schema.ts";
import { monthOf } from "../../../domain/period.ts";
import { platformTrail } from "../../../domain/tenancy/audit.ts";
import { syncUserOnSignIn } from "../../../domain/tenancy/user.ts";
import { openControlPlane, tableName } from "../../support/control-plane.ts";

const admin = { sub: "root", platform_role: "platform_admin" } as const;
let plane: Awaited<ReturnType<typeof openControlPlane>>;
beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());

const signIn = (sub: string, email = `${sub}@people.example`) =>
  syncUserOnSignIn(plane.dependencies.users, { sub, email }, plane.clock());
const approve = (sub: string, as: object = admin) => plane.call("POST", `/v1/users/${sub}/approve`, { as });

async function pending(): Promise<string[]> {
  const subs: string[] = [];
  let cursor: string | undefined;
  do {
    const query = { limit: "2", ...(cursor !== undefined && { cursor }) };
    const { body } = await plane.call("GET", "/v1/users/pending", { as: admin, query });
    subs.push(...body.data.map(({ sub }: { sub: string }) => sub));
    cursor = body.next_cursor;
  } while (cursor !== undefined);
  return subs.toSorted();
}

test("who signed up alone is pending until a platform admin approves, once, which the platform's trail tells", async () => {
  for (const sub of ["p1", "p2", "p3"]) await signIn(sub);
  expect(await pending()).toEqual(["p1", "p2", "p3"]);
  const { status, body } = await approve("p2");
  expect([status, body]).toEqual([200, expect.objectContaining({ sub: "p2", approval_status: "approved" })]);
  expect((await approve("p2")).status).toBe(200);
  expect(await pending()).toEqual(["p1", "p3"]);
  const { Items } = await plane.document.send(
    new QueryCommand({
      TableName: tableName,
      KeyConditionExpression: "pk = :pk",
      ExpressionAttributeValues: { ":pk": keys.audit(platformTrail, monthOf(plane.clock()), "").pk },
    }),
  );
  expect(Items).toMatchObject([
    {
      actor: "root",
      action: "user.approve",
      target: "p2",
      before: { approval_status: "pending" },
      after: { approval_status: "approved" },
    },
  ]);
});

test("who is approved stays so, and is not listed again, when the e-mail address changes", async () => {
  await signIn("mover");
  await approve("mover");
  await signIn("mover", "new@people.example");
  expect((await plane.dependencies.users.record("mover")).profile).toMatchObject({
    email: "new@people.example",
    approval_status: "approved",
  });
  expect(await pending()).not.toContain("mover");
});

test("nobody else lists or approves, and nobody unknown is approved", async () => {
  const owner = await plane.workspace("People");
  expect((await approve("p1", owner)).status).toBe(403);
  expect((await plane.call("GET", "/v1/users/pending", { as: owner })).status).toBe(403);
  expect((await approve("nobody")).status).toBe(404);
});
