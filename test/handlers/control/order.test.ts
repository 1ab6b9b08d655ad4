// Lists are newest first, page by page (docs/storage.md, "Order of lists").
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { keyIdLength } from "../../../domain/access/api-key.ts";
import type { Claims } from "../../../domain/access/credential.ts";
import { openControlPlane } from "../../support/control-plane.ts";
import { aKey, anEntry } from "../../support/people/api-keys.ts";
import { memberCommand } from "../../support/people/members.ts";

const admin: Partial<Claims> = { sub: "root", platform_role: "platform_admin" };
/** In another order than the ids, and than that in which the tests write them. */
const times = { b: "2026-01-02T00:00:00.000Z", c: "2026-01-01T00:00:00.000Z", a: "2026-01-03T00:00:00.000Z" };
const newestFirst = ["a", "b", "c"];

let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Claims & { tenant_id: string };
beforeAll(async () => {
  plane = await openControlPlane();
  owner = await plane.workspace("Order");
});
afterAll(() => plane.close());

/** A field of all entries of a list. */
async function listed(path: string, field: string, as: Partial<Claims>): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await plane.call("GET", path, { as, query: { limit: "2", ...(cursor && { cursor }) } });
    found.push(...body.data.map((one: Record<string, string>) => one[field]));
    cursor = body.next_cursor;
  } while (cursor !== undefined);
  return found;
}

test("a workspace's keys are listed newest first", async () => {
  const { tenant_id } = owner;
  for (const [id, created_at] of Object.entries(times)) {
    const key_id = id.repeat(keyIdLength);
    await plane.stores.apiKeys.create(
      aKey(key_id, { tenant_id, created_at, role: "service_account", caller_id: `sa_${id}` }),
      100,
      anEntry(),
    );
  }
  expect(await listed("/v1/keys", "key_id", owner)).toEqual(newestFirst.map((id) => id.repeat(keyIdLength)));
});

test("a workspace's people are listed newest first", async () => {
  const { tenant_id } = owner;
  for (const [sub, created_at] of Object.entries(times)) {
    await plane.document.send(memberCommand({ sub, tenant_id, created_at, status: "active" }));
  }
  expect(await listed("/v1/users", "user_id", owner)).toEqual([owner.sub, ...newestFirst]);
});

test("people who wait for approval are listed newest first", async () => {
  for (const [sub, created_at] of Object.entries(times)) {
    const profile = {
      sub,
      email: `${sub}@order.test`,
      approval_status: "pending" as const,
      created_at,
      provider: "password",
      email_verified: true,
    };
    await plane.stores.users.putProfile(profile);
  }
  expect(await listed("/v1/users/pending", "user_id", admin)).toEqual(newestFirst);
});

test("a person's own workspaces are listed newest first", async () => {
  for (const name of ["One", "Two", "Three"]) await plane.workspace(name, owner.sub);
  const created = await listed("/v1/tenants", "created_at", owner);
  expect(created).toHaveLength(4);
  expect(created).toEqual(created.toSorted().toReversed());
});
