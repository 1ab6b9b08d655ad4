import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import { spendingRecord } from "../../../../adapters/dynamodb/budget/spending.record.ts";
import type { Claims } from "../../../../domain/access/credential.ts";
import { openControlPlane } from "../../../support/control-plane.ts";
import { memberCommand } from "../../../support/people/members.ts";

type Person = Claims & { tenant_id: string };

const now = Date.parse("2026-11-21T05:30:00Z");
const grant = { monthly_budget_usd: 50, allowed_models: ["*"], allowed_regions: ["eu-central-1"] };

let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Person;
let developer: Person;
let account: { caller_id: string; key_id: string };
beforeAll(async () => {
  plane = await openControlPlane(() => ({ clock: () => now }));
  owner = await plane.workspace("Callers");
  developer = await plane.developer(owner.tenant_id);
  account = await newAccount(owner, "Nightly build");
});
afterAll(() => plane.close());

async function newAccount(as: Person, name: string) {
  const body = { name, kind: "service_account", grant };
  return (await plane.call("POST", "/v1/keys", { as, body })).body;
}

const callers = (query: Record<string, string> = {}, as: Partial<Claims> = owner) =>
  plane.call("GET", "/v1/callers", { as, query });
const idsOf = async (...asked: Parameters<typeof callers>) =>
  (await callers(...asked)).body.data.map(({ caller_id }: { caller_id: string }) => caller_id);

function spend(callerId: string, spent: number) {
  const Item = {
    ...spendingRecord.key({ tenant_id: owner.tenant_id, caller_id: callerId, month: "2026-11" }),
    spent,
    committed: spent,
    inflight: 0,
    tat: 0,
  };
  return plane.document.send(new PutCommand({ TableName: "main", Item }));
}

describe("GET /v1/callers", () => {
  test("GET /v1/callers lists people and service accounts, with the spent and remaining amounts of their budgets", async () => {
    await spend(account.caller_id, 12_500_000_000);
    await plane.stores.lastUses.put(account.key_id, now);
    const { body } = await callers();
    const month = { month: "2026-11", reserved_usd: 0, resets_at: "2026-12-01T00:00:00.000Z" };
    expect(body.data).toContainEqual({
      ...month,
      caller_id: account.caller_id,
      kind: "service_account",
      name: "Nightly build",
      status: "active",
      last_used_at: "2026-11-21T05:30:00.000Z",
      spent_usd: 12.5,
      limit_usd: 50,
      left_usd: 37.5,
    });
    const person = { ...month, kind: "person", status: "active", spent_usd: 0 };
    expect(body.data).toContainEqual(expect.objectContaining({ ...person, caller_id: owner.sub }));
    const found = body.data.find(({ caller_id }: { caller_id: string }) => caller_id === owner.sub);
    expect(found).not.toHaveProperty("limit_usd");
  });

  test("GET /v1/callers names a service account after the key that was named last, and shows the limit of its grant", async () => {
    const named = await newAccount(owner, "First name");
    await plane.call("POST", `/v1/keys/${named.key_id}/rotate`, { as: owner, body: { overlap_seconds: 60 } });
    const body = { name: "Second name", grant: { ...grant, monthly_budget_usd: 7 } };
    expect((await plane.call("PATCH", `/v1/keys/${named.key_id}`, { as: owner, body })).status).toBe(200);
    const { data } = (await callers({ caller_id: named.caller_id })).body;
    expect(data).toMatchObject([{ name: "Second name", limit_usd: 7, status: "active" }]);
  });

  test("GET /v1/callers includes removed people, invited people, and service accounts without a valid key", async () => {
    const { tenant_id } = owner;
    const created_at = "2026-01-01T00:00:00.000Z";
    await plane.document.send(
      memberCommand({ sub: "gone", tenant_id, created_at, status: "removed", email: "gone@a.test" }),
    );
    await plane.document.send(memberCommand({ sub: "soon", tenant_id, created_at, email: "soon@a.test" }));
    const ended = await newAccount(owner, "Ended");
    await plane.call("DELETE", `/v1/keys/${ended.key_id}`, { as: owner });
    const { data } = (await callers({ caller_id: `gone,soon,${ended.caller_id},nobody,sa_nobody` })).body;
    expect(data.map(({ name, status }: Record<string, string>) => [name, status])).toEqual([
      ["gone@a.test", "removed"],
      ["soon@a.test", "invited"],
      ["Ended", "removed"],
    ]);
  });

  test.each(["1", "2", "3", "100"])(
    "GET /v1/callers lists each caller once, people first, in pages of %s, none of them empty",
    async (limit) => {
      const found: { caller_id: string; kind: string }[] = [];
      let cursor: string | undefined;
      do {
        const { body } = await callers({ limit, ...(cursor && { cursor }) });
        expect(body.data.length).toBeGreaterThan(0);
        found.push(...body.data);
        cursor = body.next_cursor;
      } while (cursor !== undefined);
      const kinds = found.map(({ kind }) => kind);
      expect(kinds.toSorted()).toEqual(kinds);
      const both = [...(await idsOf({ kind: "person" })), ...(await idsOf({ kind: "service_account" }))];
      expect(found.map(({ caller_id }) => caller_id)).toEqual(both);
      expect(new Set(both).size).toBe(both.length);
    },
  );

  test("GET /v1/callers shows a developer only their own row", async () => {
    expect(await idsOf({}, developer)).toEqual([developer.sub]);
    expect(await idsOf({ caller_id: `${owner.sub},${developer.sub}` }, developer)).toEqual([developer.sub]);
    expect(await idsOf({ kind: "service_account" }, developer)).toEqual([]);
    const other = await plane.workspace("Other callers");
    expect(await idsOf({ caller_id: `${developer.sub},${account.caller_id}` }, other)).toEqual([]);
    expect(await idsOf({}, other)).toEqual([other.sub]);
  });

  test.each(["", "a,a", "a,,b", "a b", Array.from({ length: 101 }, (_, n) => n).join(",")])(
    "GET /v1/callers refuses the ids %j and names the field",
    async (caller_id) => {
      const { status, body } = await callers({ caller_id });
      expect([status, body.error.message]).toEqual([400, expect.stringMatching(/^caller_id/)]);
    },
  );
});
