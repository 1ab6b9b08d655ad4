import { DeleteCommand, PutCommand, UpdateCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { grantRecord } from "../../../../adapters/dynamodb/access/grant.record.ts";
import { profileRecord } from "../../../../adapters/dynamodb/people/user.record.ts";
import { directoryRecord } from "../../../../adapters/dynamodb/workspace/directory.record.ts";
import { slugReservationRecord } from "../../../../adapters/dynamodb/workspace/slug-reservation.record.ts";
import { tenantRecord } from "../../../../adapters/dynamodb/workspace/tenant.record.ts";
import { namedCalls } from "../../../support/dynamodb/counted-calls.ts";
import { openStores, tableName } from "../../../support/dynamodb/stores.ts";
import { aMoment, memberCommand } from "../../../support/people/members.ts";
import { aTenantOf } from "../../../support/people/tenants.ts";

let opened: Awaited<ReturnType<typeof openStores>>;
beforeAll(async () => {
  opened = await openStores();
});
afterAll(() => opened.close());

const put = (Item: object) => opened.document.send(new PutCommand({ TableName: tableName, Item }));
const names = (tenants: readonly { slug: string }[]) => tenants.map(({ slug }) => slug);

/** The rows of a tenant, its listing among them. @param since when it came into its status */
async function aTenant(slug: string, status = "active", since = aMoment): Promise<void> {
  const { setup_state: _done, ...tenant } = aTenantOf("ann", `id-${slug}`, { name: slug, slug, created_at: aMoment });
  await put({
    ...tenantRecord.key({ tenant_id: tenant.tenant_id }),
    ...tenantRecord.indexKey({ slug }),
    ...tenant,
    status,
  });
  await put({ ...slugReservationRecord.key({ slug }), tenant_id: tenant.tenant_id });
  await put({
    ...{
      ...directoryRecord.key({ tenant_id: tenant.tenant_id }),
      ...directoryRecord.indexKey({ status, since, tenant_id: tenant.tenant_id }),
    },
    tenant_id: tenant.tenant_id,
  });
}

async function byStatus(status: "active" | "suspended" | "deleted", limit: number): Promise<string[][]> {
  const pages: string[][] = [];
  let after: string | undefined;
  do {
    const page = await opened.stores.tenantDirectory.byStatus(status, { limit, after });
    pages.push(names(page.items));
    after = page.next;
  } while (after !== undefined);
  return pages;
}

test("a tenant is found by its current slug, and an unused slug finds none", async () => {
  await aTenant("acme");
  const { bySlug } = opened.stores.tenantDirectory;
  expect(names(await bySlug("acme"))).toEqual(["acme"]);
  expect(await bySlug("nobody")).toEqual([]);
  await opened.document.send(
    new DeleteCommand({ TableName: tableName, Key: tenantRecord.key({ tenant_id: "id-acme" }) }),
  );
  expect(await bySlug("acme")).toEqual([]);
});

test("an owner's tenants are found by e-mail address in any letter case, without those where the person is a developer", async () => {
  for (const slug of ["first", "second", "not-theirs"]) await aTenant(slug);
  const profile = { sub: "bob", email: "Bob@acme.test", approval_status: "approved", created_at: aMoment };
  await put({
    ...profileRecord.key({ sub: "bob" }),
    ...profileRecord.indexKey({ email: "bob@acme.test" }),
    ...profile,
  });
  const roles = { first: "owner", second: "owner", "not-theirs": "developer" } as const;
  for (const [slug, tenant_role] of Object.entries(roles)) {
    await opened.document.send(memberCommand({ sub: "bob", tenant_id: `id-${slug}`, tenant_role, status: "active" }));
  }
  // Another's row that claims the address is nobody's profile.
  await put({
    ...grantRecord.key({ tenant_id: "t1", dev_sub: "eve" }),
    ...profileRecord.indexKey({ email: "bob@acme.test" }),
    sub: "ann",
  });
  const { byOwnerEmail } = opened.stores.tenantDirectory;
  expect(names(await byOwnerEmail("BOB@acme.test")).toSorted()).toEqual(["first", "second"]);
  expect(await byOwnerEmail("nobody@acme.test")).toEqual([]);
});

test("tenants with a status are listed by the time since which they have it, each once, with two calls for each page", async () => {
  const days = ["03", "01", "05", "02", "04"];
  for (const day of days) await aTenant(`s${day}`, "suspended", `2026-11-${day}T00:00:00.000Z`);
  expect((await byStatus("suspended", 2)).flat()).toEqual(["s05", "s04", "s03", "s02", "s01"]);
  expect((await byStatus("suspended", 5)).flat()).toHaveLength(5);
  expect((await byStatus("suspended", 50)).flat()).toHaveLength(5);
  const list = () => opened.stores.tenantDirectory.byStatus("suspended", { limit: 50, after: undefined });
  expect(await namedCalls(opened.document, list)).toEqual(["QueryCommand", "BatchGetItemCommand"]);
});

test("an outdated or forged entry in the list of tenants is skipped", async () => {
  for (const slug of ["d1", "d2", "d3"]) await aTenant(slug, "deleted");
  await opened.document.send(
    new UpdateCommand({
      TableName: tableName,
      Key: tenantRecord.key({ tenant_id: "id-d2" }),
      UpdateExpression: "SET #status = :active",
      ExpressionAttributeNames: { "#status": "status" },
      ExpressionAttributeValues: { ":active": "active" },
    }),
  );
  await put({
    ...grantRecord.key({ tenant_id: "t1", dev_sub: "eve" }),
    ...directoryRecord.indexKey({ status: "deleted", since: aMoment, tenant_id: "id-d1" }),
    tenant_id: "id-d1",
  });
  expect((await byStatus("deleted", 1)).flat()).toEqual(["d3", "d1"]);
});
