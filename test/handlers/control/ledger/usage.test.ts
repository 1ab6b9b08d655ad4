import { afterAll, beforeAll, beforeEach, describe, expect, test } from "@jest/globals";
import type { Claims } from "../../../../domain/access/credential.ts";
import { hourOf } from "../../../../domain/kernel/period.ts";
import type { LedgerRow } from "../../../../domain/ledger/ledger.ts";
import { RollupGroups } from "../../../../domain/ledger/rollup.ts";
import { markedCursor } from "../../../../handlers/control/routing/cursor.ts";
import { aRow } from "../../../support/accounting/memory-metering.ts";
import { openControlPlane } from "../../../support/control-plane.ts";

type ControlPlane = Awaited<ReturnType<typeof openControlPlane>>;
type Person = Claims & { tenant_id: string };

const now = Date.parse("2026-11-21T05:30:00Z");

let plane: ControlPlane;
let owner: Person;
let developer: Person;
let requests = 0;
let workspaces = 0;

beforeAll(async () => {
  plane = await openControlPlane(() => ({ clock: () => now }));
});
afterAll(() => plane.close());
beforeEach(async () => {
  owner = await plane.workspace(`Workspace ${workspaces++}`);
  developer = await plane.developer(owner.tenant_id);
});

const usage = (query: Record<string, string> = {}, as: Person = owner, headers = {}) =>
  plane.call("GET", "/v1/usage", { as, query, headers });

function row(time: string, changes: Partial<LedgerRow> = {}): LedgerRow {
  const admitted_at = `${time}.000Z`;
  return aRow(`r${requests++}`, { tenant_id: owner.tenant_id, caller_id: developer.sub, admitted_at, ...changes });
}

/** Calls of hours that are open. */
async function called(...rows: LedgerRow[]): Promise<void> {
  for (const one of rows) await plane.stores.ledger.putIfAbsent(one);
}

/** Calls of hours that the meter has closed: their rows are gone, as they are after 45 days. */
async function rolledUp(...rows: LedgerRow[]): Promise<void> {
  const hours = Map.groupBy(rows, ({ admitted_at }) => hourOf(Date.parse(admitted_at)));
  for (const [hour, ofHour] of hours) {
    const groups = new RollupGroups();
    for (const one of ofHour) groups.add(one);
    await plane.stores.rollups.put(groups.rollups(owner.tenant_id, hour), 1);
  }
}

/** All hours before it are closed, but for those that wait. */
const closedUntil = (next: string, waiting: string[] = []) =>
  plane.stores.progress.advance(owner.tenant_id, next.slice(0, 7), { next, waiting, version: 1 });

const sonnet = { model: "claude-sonnet-5" };
const haiku = { model: "claude-haiku-4-5" };

describe("GET /v1/usage", () => {
  test("GET /v1/usage is by default one total of this month, with the cache's parts and share", async () => {
    await closedUntil("2026-11-21T05");
    const cached = { input: 10, output: 5, cache_read: 70, cache_write_5m: 15, cache_write_1h: 5 };
    const [of, saved] = [{ input: 500_000, output: 1_100_000, cache_read: 700_000 }, 1_400_000];
    const parts = { ...of, cache_write_5m: 150_000, cache_write_1h: 50_000, saved };
    await rolledUp(row("2026-10-31T23:59:59"), row("2026-11-01T00:00:00", { usage: cached, cost: 2_500_000, parts }));
    const { status, body } = await usage();
    expect(status).toBe(200);
    const sum = {
      requests: 1,
      estimated_requests: 0,
      cost_usd: 0.0025,
      billable_cost_usd: 0.0025,
      credit_usd: 0,
      billed_usd: 0.0025,
      estimated_cost_usd: 0,
      input_cost_usd: 0.0005,
      output_cost_usd: 0.0011,
      cache_read_cost_usd: 0.0007,
      cache_write_5m_cost_usd: 0.00015,
      cache_write_1h_cost_usd: 0.00005,
      no_kind_cost_usd: 0,
      saved_usd: 0.0014,
      input_tokens: 10,
      output_tokens: 5,
      cache_read_tokens: 70,
      cache_write_5m_tokens: 15,
      cache_write_1h_tokens: 5,
      cached_share: 0.7,
    };
    expect(body).toEqual({
      data: [sum],
      totals: sum,
      from: "2026-11-01T00:00:00.000Z",
      to: "2026-12-01T00:00:00.000Z",
      as_of: "2026-11-21T05:30:00.000Z",
      open_since: "2026-11-21T05:00:00.000Z",
      complete: true,
    });
  });

  test("GET /v1/usage separates cost with a known kind from cost without, and shows no savings if no kind is known", async () => {
    await closedUntil("2026-11-21T05");
    const parts = { input: 60, output: 40, cache_read: 0, cache_write_5m: 0, cache_write_1h: 0, saved: -7 };
    await rolledUp(row("2026-11-20T01:00:00", { parts }), row("2026-11-20T02:00:00"), row("2026-11-19T02:00:00"));
    const { body } = await usage({ group_by: "day" });
    expect(body.data[0]).toMatchObject({ day: "2026-11-19", no_kind_cost_usd: 0.0000001 });
    expect(body.data[0]).not.toHaveProperty("saved_usd");
    const ofBoth = { input_cost_usd: 0.00000006, output_cost_usd: 0.00000004, saved_usd: -0.000000007 };
    expect(body.data[1]).toMatchObject({ ...ofBoth, cost_usd: 0.0000002, no_kind_cost_usd: 0.0000001 });
    expect(body.totals).toMatchObject({ ...ofBoth, requests: 3, no_kind_cost_usd: 0.0000002 });
    const { body: file } = await usage({ group_by: "day", format: "csv" });
    expect(file).toContain(",0.0000001,-0.000000007,");
  });

  test("GET /v1/usage gives the total of the whole range with each page, unless `totals` is false", async () => {
    await closedUntil("2026-11-21T05");
    await rolledUp(row("2026-11-20T01:00:00"), row("2026-11-20T02:00:00"));
    await called(row("2026-11-21T05:00:00"));
    const first = (await usage({ group_by: "hour", limit: "2" })).body;
    expect(first.data.map(({ hour }: { hour: string }) => hour)).toEqual(["2026-11-20T01", "2026-11-20T02"]);
    const second = (await usage({ group_by: "hour", limit: "2", cursor: first.next_cursor })).body;
    expect(second.data).toMatchObject([{ hour: "2026-11-21T05", requests: 1 }]);
    expect([first.totals, second.totals]).toMatchObject([{ requests: 3 }, { requests: 3, cost_usd: 0.0000003 }]);
    expect((await usage({ totals: "false" })).body).not.toHaveProperty("totals");
    expect((await usage({ from: "2026-10-01", to: "2026-10-02" })).body.totals).toMatchObject({
      cost_usd: 0,
      saved_usd: 0,
    });
  });

  test("GET /v1/usage can be grouped by key for at most one day, with calls by token in a row of their own", async () => {
    await called(
      row("2026-11-21T04:00:00", { key_id: "k1" }),
      row("2026-11-21T05:00:00", { key_id: "k1" }),
      row("2026-11-21T05:00:00", { key_id: "k2" }),
      row("2026-11-21T05:00:00"),
    );
    const { body } = await usage({ group_by: "key" });
    expect(body.data.map(({ key_id, requests }: Record<string, unknown>) => [key_id, requests])).toEqual([
      [undefined, 1],
      ["k1", 2],
      ["k2", 1],
    ]);
  });

  test("GET /v1/usage includes the calls of open hours, each once, even before the meter's first run", async () => {
    await called(row("2026-11-21T05:29:59"));
    expect((await usage()).body.data).toMatchObject([{ requests: 1 }]);
    // Rolled up, and the meter died before it wrote down how far it is.
    await rolledUp(row("2026-11-21T04:10:00"), row("2026-11-21T03:10:00"));
    await called(row("2026-11-21T04:10:00"));
    await closedUntil("2026-11-21T04");
    const { body } = await usage();
    expect(body.data).toMatchObject([{ requests: 3 }]);
    expect(body.open_since).toBe("2026-11-21T04:00:00.000Z");
  });

  test("GET /v1/usage reads an hour that waits for a call's true usage from the ledger, and marks estimates", async () => {
    await closedUntil("2026-11-21T05", ["2026-11-20T10"]);
    const dead = {
      source: "estimated" as const,
      provisional: true as const,
      cost: 300,
      known: { cost: 20, tokens: 2 },
    };
    await called(row("2026-11-20T10:01:00", dead), row("2026-11-20T10:02:00"));
    await rolledUp(row("2026-11-20T10:02:00"), row("2026-11-20T09:00:00"), row("2026-11-20T11:00:00"));
    const { body } = await usage({ group_by: "day" });
    expect(body.data).toMatchObject([
      { day: "2026-11-20", requests: 4, estimated_requests: 1, estimated_cost_usd: 0.0000003, cost_usd: 0.0000006 },
    ]);
    expect(body.data[0].billable_cost_usd).toBe(0.00000032);
    expect(body.open_since).toBe("2026-11-20T10:00:00.000Z");
  });

  test("GET /v1/usage can be grouped by any of caller, model, day and month, and is sorted by them", async () => {
    await closedUntil("2026-11-21T05");
    await rolledUp(
      row("2026-10-30T01:00:00", sonnet),
      row("2026-11-20T01:00:00", haiku),
      row("2026-11-20T02:00:00", { ...sonnet, caller_id: "sa_1" }),
      row("2026-11-20T02:00:00", sonnet),
    );
    await called(row("2026-11-21T05:00:00", haiku));
    const labels = async (group_by: string) =>
      (await usage({ from: "2026-10-01", group_by })).body.data.map((one: Record<string, unknown>) =>
        [one.month, one.day, one.caller_id === developer.sub ? "dev" : one.caller_id, one.model, one.requests].join(
          " ",
        ),
      );
    expect(await labels("model,month")).toEqual([
      "2026-10   claude-sonnet-5 1",
      "2026-11   claude-haiku-4-5 2",
      "2026-11   claude-sonnet-5 2",
    ]);
    expect(new Set(await labels("caller"))).toEqual(new Set(["  dev  4", "  sa_1  1"]));
    expect(await labels("day")).toEqual([" 2026-10-30   1", " 2026-11-20   3", " 2026-11-21   1"]);
    expect(await labels("month,day,caller,model")).toHaveLength(5);
  });

  test("GET /v1/usage covers whole hours from `from` to before `to`", async () => {
    await closedUntil("2026-11-21T05");
    const hours = ["2026-11-19T23", "2026-11-20T00", "2026-11-20T04", "2026-11-20T05"];
    await rolledUp(...hours.map((hour) => row(`${hour}:30:00`)));
    const counted = async (query: Record<string, string>) => (await usage(query)).body.data[0]?.requests;
    expect(await counted({ from: "2026-11-20", to: "2026-11-21" })).toBe(3);
    expect(await counted({ from: "2026-11-20T04:00:00Z", to: "2026-11-20T05:00:00.000Z" })).toBe(1);
    expect(await counted({ from: "2026-11-20", to: "2026-11-20T05:00:00Z" })).toBe(2);
    expect(await counted({ to: "2026-11-01" })).toBeUndefined();
    expect(await counted({ from: "2024-12-01" })).toBe(4);
  });
});

describe("sessions", () => {
  const at = (time: string, session_id?: string, agent_id?: string) => row(time, { session_id, agent_id });

  test("GET /v1/usage by session is read from the ledger, by default for today, with calls without a session in one row", async () => {
    await closedUntil("2026-11-21T05");
    await called(
      at("2026-11-20T23:00:00", "s0"),
      at("2026-11-21T01:00:00", "s1", "a"),
      at("2026-11-21T04:00:00", "s1"),
    );
    await called(at("2026-11-21T05:00:00"));
    const { body } = await usage({ group_by: "session" });
    expect(body.data).toMatchObject([{ requests: 1 }, { session_id: "s1", requests: 2 }]);
    expect(body).toMatchObject({ from: "2026-11-21T00:00:00.000Z", to: "2026-11-22T00:00:00.000Z" });
    const { body: before } = await usage({ group_by: "agent,session,model", from: "2026-11-20", to: "2026-11-21" });
    expect(before.data).toMatchObject([{ session_id: "s0", model: "claude-sonnet-5" }]);
  });

  test.each([
    [
      { from: "2026-11-19", to: "2026-11-21" },
      "to: must be at most one day after from for keys, agents, sessions and single calls",
    ],
    [
      { from: "2026-10-07T05:00:00Z" },
      "from: single calls are kept for 45 days, so must not be before 2026-10-07T05:00:00Z",
    ],
  ])("GET /v1/usage by session refuses the query %j by the name of the field", async (query, message) => {
    const { status, body } = await usage({ group_by: "session", ...query });
    expect([status, body.error.message]).toEqual([400, message]);
  });
});

describe("what is asked wrongly is refused by name", () => {
  const time =
    "must be a date such as 2026-11-21, or the beginning of an hour of UTC such as 2026-11-21T05:00:00Z; the + of an offset is written %2B in an address";
  const cursor = "cursor: must be the next_cursor of an earlier page with the same group_by";
  const own = (place: string) => markedCursor({ method: "GET", path: "/v1/usage" }, place);
  test.each([
    [{ from: "yesterday" }, `from: ${time}`],
    [{ from: "2026-02-30" }, `from: ${time}`],
    [{ to: "2026-11-21T05:30:00Z" }, `to: ${time}`],
    [{ to: "2026-11-21T05:00:00+00:30" }, `to: ${time}`],
    [{ from: "" }, `from: ${time}`],
    [{ from: "2026-11-21", to: "2026-11-21" }, "to: must be after from"],
    [{ from: "2024-10-01", to: "2026-11-02" }, "to: must be at most 25 months after from"],
    [
      { group_by: "week" },
      "group_by.0: must be some of month, day, hour, caller, model, key, agent, session, each once, with commas between them",
    ],
    [
      { group_by: "day,day" },
      "group_by: must be some of month, day, hour, caller, model, key, agent, session, each once, with commas between them",
    ],
    [{ format: "xml" }, "format: must be json or csv"],
    [{ limit: "0" }, "limit: must be 1 to 1000, as CSV to 10000"],
    [{ limit: "1001" }, "limit: must be 1 to 1000"],
    [{ limit: "10001", format: "csv" }, "limit: must be 1 to 1000, as CSV to 10000"],
    [{ cursor: own("W10") }, cursor],
    [{ cursor: own("x"), group_by: "day" }, cursor],
    [{ cursor: own("WzFd"), group_by: "day" }, cursor],
    [{ cursor: own("WyJhIiwiYiJd"), group_by: "day" }, cursor],
    [{ who: "me" }, "who: unknown field, allowed: from, to, group_by, caller_id, totals, format, limit, cursor"],
  ])("GET /v1/usage refuses the query %j by the name of the field", async (query, message) => {
    const { status, body } = await usage(query as Record<string, string>);
    expect([status, body.error?.message]).toEqual([400, message]);
  });

  test("GET /v1/usage answers times in the far past or future with no rows", async () => {
    expect((await usage({ from: "0001-01-01", to: "0001-02-01" })).body.data).toEqual([]);
    expect((await usage({ from: "9999-12-01" })).body.data).toEqual([]);
  });
});

describe("pages", () => {
  test("GET /v1/usage has pages without gaps or repeated rows, whatever the groups", async () => {
    await closedUntil("2026-11-21T05");
    const days = ["2026-11-18", "2026-11-19", "2026-11-20"];
    const callers = ["a", "b", "ü \n", "d"];
    await rolledUp(...days.flatMap((day) => callers.map((caller_id) => row(`${day}T05:00:00`, { caller_id }))));
    await called(row("2026-11-21T05:00:00", { caller_id: "e" }));
    for (const [group_by, count] of [
      ["day,caller", 13],
      ["caller", 5],
      ["day", 4],
    ] as const) {
      const found: object[] = [];
      let next: string | undefined;
      do {
        const { body } = await usage({ group_by, limit: "3", ...(next && { cursor: next }) });
        expect(body.data.length).toBeLessThanOrEqual(3);
        found.push(...body.data);
        next = body.next_cursor;
      } while (next);
      expect(found).toEqual((await usage({ group_by })).body.data);
      expect(found).toHaveLength(count);
    }
  });
});

describe("who sees what", () => {
  beforeEach(async () => {
    await closedUntil("2026-11-21T05");
    await rolledUp(row("2026-11-20T01:00:00"), row("2026-11-20T01:00:00", { caller_id: "sa_1" }));
    await called(row("2026-11-21T05:00:00"), row("2026-11-21T05:00:00", { caller_id: "sa_1" }));
  });

  test("GET /v1/usage shows the owner the usage of all callers, or of the requested one", async () => {
    expect((await usage()).body.data).toMatchObject([{ requests: 4 }]);
    expect((await usage({ caller_id: "sa_1", group_by: "caller" })).body.data).toMatchObject([
      { caller_id: "sa_1", requests: 2 },
    ]);
    expect((await usage({ caller_id: "nobody" })).body.data).toEqual([]);
  });

  test("GET /v1/usage shows a developer only their own usage", async () => {
    for (const query of [{}, { caller_id: developer.sub }, { group_by: "caller" }]) {
      expect((await usage(query, developer)).body.data).toMatchObject([{ requests: 2 }]);
    }
    for (const caller_id of ["sa_1", owner.sub]) {
      const { status, body } = await usage({ caller_id }, developer);
      expect([status, body.error.details.error_code]).toEqual([403, "role_missing"]);
    }
    expect((await usage({ group_by: "session,caller" }, developer)).body.data).toMatchObject([
      { caller_id: developer.sub, requests: 1 },
    ]);
  });

  test("GET /v1/usage shows another workspace's owner nothing, even if they name its callers", async () => {
    const other = await plane.workspace(`Workspace ${workspaces++}`);
    for (const query of [{}, { caller_id: developer.sub }, { group_by: "session" }]) {
      expect((await usage(query, other)).body.data).toEqual([]);
    }
    const stranger = { ...other, tenant_id: owner.tenant_id };
    expect(await usage({}, stranger)).toMatchObject({ status: 403 });
  });
});

describe("as CSV", () => {
  const header =
    "month,day,hour,caller_id,model,key_id,agent_id,session_id,requests,estimated_requests,cost_usd,billable_cost_usd,credit_usd,billed_usd," +
    "estimated_cost_usd,input_cost_usd,output_cost_usd,cache_read_cost_usd,cache_write_5m_cost_usd,cache_write_1h_cost_usd,no_kind_cost_usd,saved_usd," +
    "input_tokens,output_tokens,cache_read_tokens,cache_write_5m_tokens,cache_write_1h_tokens,cached_share," +
    "as_of,complete\r\n";

  test("GET /v1/usage as CSV, chosen by query or header, has a header and a line for each row; the query takes precedence", async () => {
    await closedUntil("2026-11-21T05");
    await rolledUp(row("2026-11-20T01:00:00"));
    const byQuery = await usage({ format: "csv", group_by: "day" });
    expect(byQuery.headers["content-type"]).toBe("text/csv; charset=utf-8");
    expect(byQuery.body).toBe(
      `${header},2026-11-20,,,,,,,1,0,0.0000001,0.0000001,0,0.0000001,0,0,0,0,0,0,0.0000001,,10,20,0,0,0,0,2026-11-21T05:30:00.000Z,true\r\n`,
    );
    expect((await usage({ group_by: "day" }, owner, { accept: "text/csv" })).body).toBe(byQuery.body);
    const json = await usage({ group_by: "day", format: "json" }, owner, { accept: "text/csv" });
    expect(json.headers["content-type"]).toBe("application/json");
    expect((await usage({ format: "csv", from: "2026-01-01", to: "2026-01-02" })).body).toBe(header);
  });

  test("GET /v1/usage as CSV says in each line if hours are missing", async () => {
    await closedUntil("2026-11-10T00");
    await called(row("2026-11-21T05:00:00", sonnet), row("2026-11-21T05:00:00", haiku));
    const { body } = await usage({ format: "csv", group_by: "model" });
    expect(body.match(/,2026-11-21T05:30:00\.000Z,false\r\n/g)).toHaveLength(2);
  });

  test("GET /v1/usage as CSV runs no formula in a spreadsheet, and no value leaves its cell", async () => {
    const evil = ['=HYPERLINK("http://x","y")', "+1", "-1", "@a", "\tb", 'c","=1', "d\r\n=2"];
    await called(...evil.map((session_id) => row("2026-11-21T05:00:00", { session_id })));
    const { body } = await usage({ format: "csv", group_by: "session" });
    for (const cell of ['"\'=HYPERLINK(""http://x"",""y"")"', "'+1", "'-1", "'@a", "'\tb", '"c"",""=1"', '"d\r\n=2"']) {
      expect(body).toContain(`,${cell},1,`);
    }
  });

  test("GET /v1/usage as CSV names the next page in a header", async () => {
    await called(row("2026-11-21T05:00:00", sonnet), row("2026-11-21T05:00:00", haiku));
    const first = await usage({ format: "csv", group_by: "model", limit: "1" });
    const cursor = String(first.headers["x-next-cursor"]);
    const second = await usage({ format: "csv", group_by: "model", limit: "1", cursor });
    expect(second.body).toContain(",claude-sonnet-5,");
    expect(second.headers).not.toHaveProperty("x-next-cursor");
  });
});
