import { afterAll, beforeAll, describe, expect, test } from "@jest/globals";
import type { Claims } from "../../../../domain/access/credential.ts";
import type { LedgerRow } from "../../../../domain/ledger/ledger.ts";
import { aRow } from "../../../support/accounting/memory-metering.ts";
import { openControlPlane } from "../../../support/control-plane.ts";

const now = Date.parse("2026-11-21T05:30:00Z");
let plane: Awaited<ReturnType<typeof openControlPlane>>;
let owner: Claims & { tenant_id: string };
let developer: Claims & { tenant_id: string };

beforeAll(async () => {
  plane = await openControlPlane(() => ({ clock: () => now }));
  owner = await plane.workspace("Calls");
  developer = await plane.developer(owner.tenant_id);
  const parts = { input: 20, output: 50, cache_read: 10, cache_write_5m: 15, cache_write_1h: 5, saved: -3 };
  await call("mine", { caller_id: developer.sub, key_id: "k1", session_id: "s1", agent_id: "a1", parts });
  await call("dead", { source: "estimated", provisional: true, admitted_at: "2026-11-21T03:00:00.000Z" });
  await call("yesterday", { admitted_at: "2026-11-20T03:00:00.000Z" });
});
afterAll(() => plane.close());

const call = (id: string, changes: Partial<LedgerRow>) =>
  plane.stores.ledger.putIfAbsent(aRow(id, { tenant_id: owner.tenant_id, caller_id: "sa_1", ...changes }));

const calls = (query: Record<string, string> = {}, as: Partial<Claims> = owner) =>
  plane.call("GET", "/v1/calls", { as, query });
const idsOf = async (...asked: Parameters<typeof calls>) =>
  (await calls(...asked)).body.data.map(({ request_id }: { request_id: string }) => request_id);

describe("GET /v1/calls", () => {
  test("GET /v1/calls lists today's calls with their cost by kind, which adds up, and marks calls that count with their upper bounds", async () => {
    const { body } = await calls();
    expect(body.data).toEqual([
      {
        request_id: "mine",
        caller_id: developer.sub,
        key_id: "k1",
        session_id: "s1",
        agent_id: "a1",
        admitted_at: "2026-11-21T05:10:00.000Z",
        settled_at: "2026-11-21T05:10:07.000Z",
        model: "claude-sonnet-5",
        region: "eu-central-1",
        source: "final",
        is_provisional: false,
        on_credit: false,
        cost_usd: 0.0000001,
        input_cost_usd: 0.00000002,
        output_cost_usd: 0.00000005,
        cache_read_cost_usd: 0.00000001,
        cache_write_5m_cost_usd: 0.000000015,
        cache_write_1h_cost_usd: 0.000000005,
        saved_usd: -0.000000003,
        input_tokens: 10,
        output_tokens: 20,
        cache_read_tokens: 0,
        cache_write_5m_tokens: 0,
        cache_write_1h_tokens: 0,
      },
      expect.objectContaining({ request_id: "dead", source: "estimated", is_provisional: true }),
    ]);
    expect(body.data[1]).not.toHaveProperty("input_cost_usd");
  });

  test("GET /v1/calls can be filtered by day, hour, caller, key, session and request", async () => {
    expect(await idsOf({ from: "2026-11-20", to: "2026-11-21" })).toEqual(["yesterday"]);
    expect(await idsOf({ caller_id: "sa_1" })).toEqual(["dead"]);
    expect(await idsOf({ key_id: "k1" })).toEqual(["mine"]);
    expect(await idsOf({ session_id: "s1" })).toEqual(["mine"]);
    expect(await idsOf({ request_id: "dead" })).toEqual(["dead"]);
    expect(await idsOf({ request_id: "dea" })).toEqual([]);
    expect(await idsOf({ from: "2026-11-21T03:00:00Z", to: "2026-11-21T04:00:00Z" })).toEqual(["dead"]);
  });

  test("GET /v1/calls has pages, and is served as CSV", async () => {
    const first = (await calls({ limit: "1" })).body;
    expect(await idsOf({ limit: "1", cursor: first.next_cursor })).toEqual(["dead"]);
    const { body } = await calls({ format: "csv" });
    expect(body.split("\r\n")).toHaveLength(4);
    expect(body).toMatch(/^request_id,caller_id,key_id,/);
  });

  test("GET /v1/calls shows a developer only their own calls", async () => {
    expect(await idsOf({}, developer)).toEqual(["mine"]);
    expect(await idsOf({ request_id: "dead" }, developer)).toEqual([]);
    const { status, body } = await calls({ caller_id: "sa_1" }, developer);
    expect([status, body.error.details.error_code]).toEqual([403, "role_missing"]);
    expect(await idsOf({}, await plane.workspace("Other calls"))).toEqual([]);
  });

  test("GET /v1/calls refuses more than one day, and a time whose calls are no longer stored, and names the field", async () => {
    for (const [query, field] of [
      [{ from: "2026-11-19", to: "2026-11-21" }, "to"],
      [{ from: "2026-09-01" }, "from"],
      [{ request_id: "" }, "request_id"],
    ] as const) {
      const { status, body } = await calls(query);
      expect([status, body.error.message.split(":")[0]]).toEqual([400, field]);
    }
  });
});
