// Many workspaces: each is created and found with as many calls to the store as the first, and nothing is ever scanned.
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { openControlPlane } from "../../../support/control-plane.ts";
import { namedCalls } from "../../../support/dynamodb/counted-calls.ts";
import { sizes } from "../../../support/sizes.ts";

const many = sizes.workspaces;
const last = many - 1;
/** Workspaces of one owner, more than one page of them. */
const ofAnn = Math.round(many * 0.6);
const admin = { sub: "root", platform_role: "platform_admin" } as const;

let plane: Awaited<ReturnType<typeof openControlPlane>>;
const creations: string[][] = [];
beforeAll(async () => {
  // Whether a person signed out everywhere is read once a minute, whatever they do.
  const signOuts = { of: async () => undefined, put: async () => undefined };
  plane = await openControlPlane(() => ({ signOuts }), undefined, ofAnn);
  for (let number = 0; number < many; number++) {
    const sub = number < ofAnn ? "ann" : `owner-${number}`;
    const create = () => plane.call("POST", "/v1/tenants", { as: { sub }, body: { name: `Workspace ${number}` } });
    creations.push(
      await calls(async () => {
        const { status } = await create();
        if (status !== 201) throw new Error(`workspace ${number}: ${status}`);
      }),
    );
  }
});
afterAll(() => plane.close());

const calls = (work: () => Promise<unknown>) => namedCalls(plane.document, work);

/** All that a list has, and the calls that each of its pages made. */
async function paged(as: object, query: Record<string, string>): Promise<{ ids: string[]; pages: string[][] }> {
  const [ids, pages]: [string[], string[][]] = [[], []];
  let cursor: string | undefined;
  do {
    pages.push(
      await calls(async () => {
        const { body } = await plane.call("GET", "/v1/tenants", { as, query: { ...query, ...(cursor && { cursor }) } });
        ids.push(...body.data.map(({ tenant_id }: { tenant_id: string }) => tenant_id));
        cursor = body.next_cursor;
      }),
    );
  } while (cursor !== undefined);
  return { ids, pages };
}

test("creating a workspace takes as many store calls with many workspaces as with few", () => {
  expect(new Set(creations.map((made) => made.join(" ")))).toEqual(new Set([creations[0]?.join(" ")]));
  expect(creations[0]?.length).toBeLessThanOrEqual(8);
});

test("a platform administrator lists all workspaces, with an audit entry and two calls for each page", async () => {
  const { ids, pages } = await paged(admin, { status: "active", limit: "100" });
  expect([ids.length, new Set(ids).size]).toEqual([many, many]);
  expect(new Set(pages.map((page) => page.join(" ")))).toContain(
    "TransactWriteItemsCommand QueryCommand BatchGetItemCommand",
  );
  expect(Math.max(...pages.map((page) => page.length))).toBe(3);
});

test("an owner lists their own workspaces with two calls for each page", async () => {
  const { ids, pages } = await paged({ sub: "ann" }, { limit: "100" });
  expect([ids.length, new Set(ids).size]).toEqual([ofAnn, ofAnn]);
  expect(pages).toEqual(Array(Math.ceil(ofAnn / 100)).fill(["QueryCommand", "BatchGetItemCommand"]));
});

test("one of many workspaces is found by its address, changed and read with a handful of calls", async () => {
  const find = () => plane.call("GET", "/v1/tenants", { as: admin, query: { slug: `workspace-${last}` } });
  expect(await calls(find)).toEqual(["TransactWriteItemsCommand", "GetItemCommand", "BatchGetItemCommand"]);
  const [{ tenant_id }] = (await find()).body.data;
  const path = `/v1/tenants/${tenant_id}`;
  expect(await calls(() => plane.call("GET", path, { as: admin }))).toEqual([
    "GetItemCommand",
    "TransactWriteItemsCommand",
  ]);
  const rename = () => plane.call("PATCH", path, { as: { sub: `owner-${last}` }, body: { name: "Renamed" } });
  expect(await calls(rename)).toEqual(["GetItemCommand", "TransactWriteItemsCommand"]);
});
