import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import { spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import type { Claims } from "../../../../domain/access/credential.ts";
import { monthOf, nextMonth } from "../../../../domain/kernel/period.ts";
import { openControlPlane } from "../../../support/control-plane.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;
type Person = Claims & { tenant_id: string };

let plane: ControlPlane;
let owner: Person;
let developer: Person;
let workspaces = 0;

beforeAll(async () => {
  plane = await openControlPlane();
});
afterAll(() => plane.close());
beforeEach(async () => {
  owner = await plane.workspace(`Workspace ${workspaces++}`);
  developer = await plane.developer(owner.tenant_id);
});

const aGrant = { allowed_models: ["*"], allowed_regions: ["eu-central-1"], monthly_budget_usd: 12.5 };
const path = (sub: string) => `/v1/grants/${encodeURIComponent(sub)}`;
const put = (body: object, sub = developer.sub) => plane.call("PUT", path(sub), { as: owner, body });

describe("PUT /v1/grants/{dev_sub}", () => {
  test("PUT /v1/grants/{dev_sub} gives a developer a grant, and answers with the defaults", async () => {
    const { status, body } = await put(aGrant);
    expect(status).toBe(200);
    expect(body).toEqual({
      tenant_id: owner.tenant_id,
      dev_sub: developer.sub,
      ...aGrant,
      budget_enforcement: "reserved",
      allow_global_profiles: false,
      updated_at: expect.stringMatching(/Z$/),
      updated_by: owner.sub,
    });
    expect((await plane.call("GET", path(developer.sub), { as: owner })).body).toEqual(body);
  });

  test("PUT /v1/grants/{dev_sub} refuses a model that is not in the catalog, and names the known models", async () => {
    const { status, body } = await put({ ...aGrant, allowed_models: ["claude-2"] });
    expect(status).toBe(400);
    expect(body.error.message).toMatch(/^allowed_models\.0: no model "claude-2"; known: claude-/);
  });

  test("PUT /v1/grants/{dev_sub} cannot change a member of another workspace", async () => {
    const other = await plane.workspace(`Workspace ${workspaces++}`);
    expect(await put(aGrant, other.sub)).toMatchObject({ status: 404 });
  });

  test("PUT /v1/grants/{dev_sub} is only for the owner", async () => {
    const { status } = await plane.call("PUT", path(developer.sub), { as: developer, body: aGrant });
    expect(status).toBe(403);
  });
});

describe("reading grants", () => {
  test("GET /v1/grants shows a developer only their own grant", async () => {
    await put(aGrant);
    await put(aGrant, owner.sub);
    const own = await plane.call("GET", path(developer.sub), { as: developer });
    expect(own).toMatchObject({ status: 200, body: { dev_sub: developer.sub } });
    expect(await plane.call("GET", path(owner.sub), { as: developer })).toMatchObject({
      status: 403,
      body: { error: { details: { error_code: "role_missing" } } },
    });
    const { body } = await plane.call("GET", "/v1/grants", { as: developer });
    const resets_at = new Date(nextMonth(plane.clock())).toISOString();
    expect(body).toEqual({ data: [{ ...own.body, spent_usd: 0, reserved_usd: 0, resets_at }] });
  });

  test("GET /v1/grants is empty for a developer without a grant, and GET /v1/grants/{dev_sub} answers 404", async () => {
    expect((await plane.call("GET", "/v1/grants", { as: developer })).body).toEqual({ data: [] });
    expect(await plane.call("GET", path(developer.sub), { as: developer })).toMatchObject({ status: 404 });
  });

  test("GET /v1/grants lists all grants of the owner's workspace, page by page, and none of another", async () => {
    const subs = ["a", "b", "c", "d", "e"];
    for (const sub of subs) {
      await plane.developer(owner.tenant_id, sub);
      await put(aGrant, sub);
    }
    const seen: string[] = [];
    let cursor: string | undefined;
    do {
      const query = { limit: "2", ...(cursor && { cursor }) };
      const { body } = await plane.call("GET", "/v1/grants", { as: owner, query });
      seen.push(...body.data.map((grant: { dev_sub: string }) => grant.dev_sub));
      cursor = body.next_cursor;
    } while (cursor);
    expect(seen).toEqual(subs);
  });

  test("GET /v1/grants has each person's spent and reserved amount of the month, with the same number of store calls for many people as for few", async () => {
    const calls: number[] = [];
    let made = 0;
    const counted = { step: "initialize", name: "count" } as const;
    plane.document.middlewareStack.add((next) => {
      return (args) => {
        made += 1;
        return next(args);
      };
    }, counted);
    const month = monthOf(plane.clock());
    for (const count of [2, 40]) {
      for (let index = 0; index < count; index++) {
        const sub = `sub${index}`;
        await plane.developer(owner.tenant_id, sub);
        await put(aGrant, sub);
        const spending = { spent: index * 1e9, committed: index * 1e9, inflight: 0, tat: 0 };
        const Item = { ...spendingRecord.key({ tenant_id: owner.tenant_id, caller_id: sub, month }), ...spending };
        await plane.document.send(new PutCommand({ TableName: "main", Item }));
      }
      made = 0;
      const { body } = await plane.call("GET", "/v1/grants", { as: owner, query: { limit: "100" } });
      calls.push(made);
      expect(body.data).toHaveLength(count);
      for (const { dev_sub, spent_usd } of body.data) expect(`sub${spent_usd}`).toBe(dev_sub);
    }
    plane.document.middlewareStack.remove("count");
    expect(calls).toEqual([2, 2]);
  });

  test.each([
    [{ limit: "0" }, "limit: must be 1 to 100"],
    [{ limit: "101" }, "limit: must be 1 to 100"],
    [{ limit: "ten" }, "limit: must be 1 to 100"],
    [{ cursor: "!" }, "cursor: must be the next_cursor of an earlier page of this list"],
    [{ cursor: "" }, "cursor: must be the next_cursor of an earlier page of this list"],
    [{ page: "2" }, "page: unknown field, allowed: limit, cursor"],
  ])("GET /v1/grants refuses the query %j", async (query, message) => {
    const { status, body } = await plane.call("GET", "/v1/grants", { as: owner, query });
    expect(status).toBe(400);
    expect(body.error.message).toBe(message);
  });
});

describe("DELETE /v1/grants/{dev_sub}", () => {
  test("DELETE /v1/grants/{dev_sub} revokes a grant", async () => {
    await put(aGrant);
    const first = await plane.call("DELETE", path(developer.sub), { as: owner });
    expect(first).toMatchObject({ status: 204, body: undefined });
    expect(first.headers["request-id"]).toBeDefined();
    expect(await plane.call("GET", path(developer.sub), { as: owner })).toMatchObject({ status: 404 });
    expect(await plane.call("DELETE", path("stranger"), { as: owner })).toMatchObject({ status: 404 });
  });
});
