import { PutCommand } from "@aws-sdk/lib-dynamodb";
import { afterAll, beforeAll, expect, test } from "@jest/globals";
import { auditPut } from "../../../adapters/dynamodb/audit.ts";
import type { Claims } from "../../../domain/access/credential.ts";
import { auditEntry } from "../../../domain/tenancy/audit.ts";
import { openControlPlane } from "../../support/control-plane.ts";

const dayMs = 86_400_000;
let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Claims & { tenant_id: string };

/** Ten entries of ann and bob by turns, a week apart, the last one a day old. */
beforeAll(async () => {
  plane = await openControlPlane();
  owner = await plane.workspace("Audited");
  for (let n = 0; n < 10; n++) {
    const now = plane.clock() - (1 + 7 * (9 - n)) * dayMs;
    const actor = n % 2 === 0 ? "ann" : "bob";
    const change = { tenant_id: owner.tenant_id, actor, action: "grant.put", target: `t${n}` } as const;
    await plane.document.send(new PutCommand(auditPut("main", auditEntry(change, { id: `e${n}`, now })).Put));
  }
});
afterAll(() => plane.close());

const list = (query: Record<string, string>, as: Partial<Claims> = owner) =>
  plane.call("GET", "/v1/audit", { as, query });

async function targets(query: Record<string, string>): Promise<string[]> {
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    const { status, body } = await list({ ...query, ...(cursor !== undefined && { cursor }) });
    expect(status).toBe(200);
    found.push(...body.data.map(({ target }: { target: string }) => target));
    cursor = body.next_cursor;
  } while (cursor !== undefined);
  return found;
}

test.each(["1", "3", "50"])("the owner reads it newest first, across months, by pages of %s", async (limit) => {
  const newestFirst = Array.from({ length: 10 }, (_, n) => `t${9 - n}`);
  expect(await targets({ limit })).toEqual([owner.tenant_id, ...newestFirst]);
});

test("by actor, by action and by time", async () => {
  expect(await targets({ actor: "bob", limit: "2" })).toEqual(["t9", "t7", "t5", "t3", "t1"]);
  expect(await targets({ action: "tenant.create" })).toEqual([owner.tenant_id]);
  const at = (days: number) => new Date(plane.clock() - days * dayMs).toISOString();
  expect(await targets({ from: at(16), to: at(5) })).toEqual(["t8", "t7"]);
});

test("nobody else reads it, and nothing of another workspace is in it", async () => {
  const developer = await plane.developer(owner.tenant_id);
  expect((await list({}, developer)).status).toBe(403);
  const other = await plane.workspace("Other trail");
  expect((await list({}, other)).body.data.map(({ action }: { action: string }) => action)).toEqual(["tenant.create"]);
});

test("refuses a time that is none by its name", async () => {
  expect((await list({ from: "yesterday" })).body.error.message).toMatch(/^from: must be an ISO 8601 time/);
});
